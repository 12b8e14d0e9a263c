# Prints what a process inherits, but for what every process has of its own.
grep -E '^(Sig(Blk|Ign)|Cap|Seccomp:|NoNewPrivs|Uid|Gid|Groups|Umask|Cpus_allowed_list)' /proc/self/status
cat /proc/self/limits /proc/self/oom_score_adj /proc/self/coredump_filter
cut -d')' -f2- /proc/self/stat | cut -d' ' -f17-18,39-40
for fd in /proc/$$/fd/*; do # Without a pipe of its own.
    printf '%s ' "${fd##*/}"
    readlink "$fd" || echo
done
pwd
cat /proc/self/environ | tr '\0' '\n' | grep -v '^_=' | sort
