/** A schema that cannot be used. Its message has the file, the line and the reason. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** Name of the file. */
  readonly file: string
  /** From 1; undefined where the fault has no line. */
  readonly line: number | undefined
  /** What is wrong, without the place. */
  readonly why: string

  constructor(file: string, line: number | undefined, why: string, options?: ErrorOptions) {
    super(`${file}${line === undefined ? '' : `:${line}`}: ${why}`, options)
    this.file = file
    this.line = line
    this.why = why
  }
}
