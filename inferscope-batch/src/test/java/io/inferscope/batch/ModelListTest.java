package io.inferscope.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of models as people write them. */
class ModelListTest {
    @TempDir
    Path folder;

    private List<String> read(String text) throws IOException {
        return ModelList.read(Files.writeString(folder.resolve("models.txt"), text));
    }

    @Test
    void commentsBlankLinesAndRepetitionsAreLeftOut() throws IOException {
        assertThat(read("# all\n\nowner/b  # the second\r\nowner/a\n  owner/b\nowner/c#1\n"))
                .containsExactly("owner/b", "owner/a", "owner/c#1");
        assertThat(read("\uFEFFowner/a\r\n")).containsExactly("owner/a");
        assertThat(read("")).isEmpty();
        assertThatThrownBy(() -> read("owner/a\n\0\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("models.txt:2");
    }

    @Test
    void aModelIsTheSameHoweverItsFolderIsSpelled() throws IOException {
        Path model = Files.createDirectories(folder.resolve("m"));
        String other = folder + "/./x/../m";
        assertThat(ModelList.of(List.of(model.toString(), other, "owner/a"), List.of("owner/a")))
                .containsExactly(new ModelRef(model.toString(), model, "m"));
        assertThat(ModelList.of(List.of(model.toString()), List.of(other))).isEmpty();
    }

    @Test
    void modelsOfOneNameGetFoldersOfTheirOwn() throws IOException {
        List<ModelRef> models = ModelList.of(List.of(folder + "/a/m", folder + "/b/m", "owner/m"), List.of());
        assertThat(models).extracting(ModelRef::folder).doesNotHaveDuplicates().allMatch(name -> name.contains("m"));
        assertThat(models.get(2).folder()).isEqualTo("owner__m");
        assertThat(ModelList.of(List.of(folder + "/b/m", folder + "/a/m"), List.of()))
                .extracting(ModelRef::folder)
                .containsExactly(models.get(1).folder(), models.get(0).folder());
    }
}
