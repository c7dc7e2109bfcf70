/** Largest file of a schema, in bytes of UTF-8. */
export const maxSchemaBytes = 256 * 1024

/** Most files of one directory, and bytes of all of them. */
export const maxSchemaFiles = 10_000
export const maxAllSchemaBytes = 32 * 1024 * 1024

/** Deepest nesting of the JSON of a schema: what compiles it goes down by recursion. */
export const maxSchemaDepth = 64

/** Most values of a schema's JSON, names and texts of lists among them. */
export const maxSchemaValues = 20_000

/** Most properties of a type that have columns: as many as Thrift has ids, and no more than a registry may name. */
export const maxSchemaFields = 4_096
