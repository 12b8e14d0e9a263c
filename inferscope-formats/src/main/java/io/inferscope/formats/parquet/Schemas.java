package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.OutputColumn;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/** The Parquet schema of a table: flat, all columns optional, 64-bit integers, doubles and UTF-8 text. */
final class Schemas {
    private Schemas() {}

    static MessageType message(List<OutputColumn> columns) {
        Types.MessageTypeBuilder message = Types.buildMessage();
        for (OutputColumn column : columns) {
            switch (column.type()) {
                case NUMBER -> message.optional(PrimitiveTypeName.INT64).named(column.name());
                case REAL -> message.optional(PrimitiveTypeName.DOUBLE).named(column.name());
                case TEXT ->
                    message.optional(PrimitiveTypeName.BINARY)
                            .as(LogicalTypeAnnotation.stringType())
                            .named(column.name());
            }
        }
        return message.named("inferscope");
    }

    static org.apache.parquet.format.Type physical(OutputColumn.Type type) {
        return switch (type) {
            case NUMBER -> org.apache.parquet.format.Type.INT64;
            case REAL -> org.apache.parquet.format.Type.DOUBLE;
            case TEXT -> org.apache.parquet.format.Type.BYTE_ARRAY;
        };
    }

    static List<SchemaElement> elements(List<OutputColumn> columns) {
        List<SchemaElement> elements = new ArrayList<>();
        elements.add(new SchemaElement("inferscope").setNum_children(columns.size()));
        for (OutputColumn column : columns) {
            SchemaElement element = new SchemaElement(column.name())
                    .setType(physical(column.type()))
                    .setRepetition_type(FieldRepetitionType.OPTIONAL);
            if (column.type() == OutputColumn.Type.TEXT) {
                element.setConverted_type(ConvertedType.UTF8).setLogicalType(LogicalType.STRING(new StringType()));
            }
            elements.add(element);
        }
        return elements;
    }

    /** Returns the columns in a file's schema, without nested ones and other types. */
    static List<OutputColumn> columns(List<SchemaElement> elements) {
        List<OutputColumn> columns = new ArrayList<>();
        for (SchemaElement element : elements.subList(Math.min(1, elements.size()), elements.size())) {
            if (element.isSetNum_children() || element.getRepetition_type() != FieldRepetitionType.OPTIONAL) {
                throw new IllegalArgumentException("column " + element.getName() + " is not flat and optional");
            }
            OutputColumn.Type type = switch (element.getType()) {
                case INT64 -> OutputColumn.Type.NUMBER;
                case DOUBLE -> OutputColumn.Type.REAL;
                case BYTE_ARRAY -> OutputColumn.Type.TEXT;
                default ->
                    throw new IllegalArgumentException(
                            "column " + element.getName() + " is of type " + element.getType());
            };
            columns.add(new OutputColumn(element.getName(), type));
        }
        return columns;
    }
}
