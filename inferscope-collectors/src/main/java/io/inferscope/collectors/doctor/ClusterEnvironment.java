package io.inferscope.collectors.doctor;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a program is part of a job on several nodes, by its launcher's variables. Sources: sbatch(1), "Output
 * environment variables"; torchrun, "Environment Variables"; Open MPI, mpirun(1).
 *
 * @param nodes number of the job's nodes, 1 if not known
 * @param because the variables that show it
 */
public record ClusterEnvironment(long nodes, String because) {
    public static final String REMEDY =
            "start the program on a single node, or unset these variables to record this node alone";

    private static final List<String> NODES = List.of("SLURM_JOB_NUM_NODES", "SLURM_NNODES", "GROUP_WORLD_SIZE");

    private static final Pattern NODES_OPTION = Pattern.compile("--nnodes(?:=(.*))?");

    /** All ranks, and those of this node. */
    private static final Map<String, String> RANKS =
            Map.of("WORLD_SIZE", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE");

    /**
     * Reads an environment and a command.
     *
     * @param variable returns a variable's value, the empty text if not set
     * @param command the words of the command: torchrun's {@code --nnodes} is understood
     */
    public static ClusterEnvironment of(Function<String, String> variable, List<String> command) {
        for (int i = 0; i < command.size(); i++) {
            Matcher option = NODES_OPTION.matcher(command.get(i));
            if (option.matches()) {
                String said =
                        option.group(1) != null ? option.group(1) : i + 1 < command.size() ? command.get(i + 1) : "";
                long nodes = number(said.substring(said.lastIndexOf(':') + 1)); // at least:at most
                if (nodes > 1) {
                    return new ClusterEnvironment(nodes, "--nnodes " + said);
                }
            }
        }
        for (String name : NODES) {
            long nodes = number(variable.apply(name));
            if (nodes > 1) {
                return new ClusterEnvironment(nodes, name + "=" + nodes);
            }
        }
        for (String all : RANKS.keySet().stream().sorted().toList()) {
            String here = RANKS.getOrDefault(all, "");
            long ranks = number(variable.apply(all));
            long local = number(variable.apply(here));
            if (local > 0 && ranks > local) {
                return new ClusterEnvironment(
                        (ranks + local - 1) / local, all + "=" + ranks + ", " + here + "=" + local);
            }
        }
        return new ClusterEnvironment(1, "");
    }

    private static long number(String text) {
        return text.strip().matches("\\d{1,9}") ? Long.parseLong(text.strip()) : 0;
    }

    /** Returns whether there are other nodes, which are not recorded. */
    public boolean isCluster() {
        return nodes > 1;
    }

    /** Returns the consequence in words. */
    public String describe() {
        return "the job has " + nodes + " nodes (" + because
                + "), and InferScope explains one: it does not know what this node waits for on the others";
    }
}
