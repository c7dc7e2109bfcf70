/** The process of a reader ended before its answer did. */
export class ReaderEnded extends Error {
  override readonly name = 'ReaderEnded'
  /** What it opened last; undefined if unknown. */
  readonly path: string | undefined

  constructor(reason: string, path: string | undefined) {
    super(reason)
    this.path = path
  }
}

/** Its reader would rather not read a file beside what others read. */
export class Suspected extends Error {
  override readonly name = 'Suspected'
  /** A name for the file as it is now. */
  readonly version: string

  constructor(version: string) {
    super('is suspected')
    this.version = version
  }
}
