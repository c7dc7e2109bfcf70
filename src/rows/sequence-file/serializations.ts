/**
 * Turns the bytes of a sequence file's values into something that row serializers take; what `io.serializations`
 * loads. A module exports it by name as `serialization`, or several as `serializations`, or one as its default.
 */
export type SequenceFileSerialization = {
  /** The value classes that it knows, as sequence files name them: `com.example.Click`. */
  readonly classNames: readonly string[]
  /**
   * Makes a value of one record's bytes, which must be copied to outlive the call. A string is then split at TABs, an
   * object gives its keys as columns, anything else is one column, unless a row serializer accepts the class.
   * @throws FormatError for malformed bytes; earlier rows are returned
   */
  deserialize(bytes: Uint8Array, className: string): unknown
}
