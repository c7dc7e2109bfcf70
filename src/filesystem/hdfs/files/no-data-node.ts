import { FileSystemError } from '../../filesystem.ts'
import { ReplicaError } from '../data-node/replica-error.ts'

/** No data node of a file was spoken to: they take no connection, break it, are silent, or want what we do not speak. */
export class NoDataNode extends Error {
  override readonly name = 'NoDataNode'

  /** @param cause why the last one was not */
  constructor(cause: unknown) {
    super('no data node was spoken to', { cause })
  }
}

/** Whether a failure may mean that a data node cannot be spoken to: it refused nothing, nor did the name node fail. */
export const isNotSpokenTo = (error: unknown): boolean =>
  !(error instanceof ReplicaError || error instanceof FileSystemError)

/** The failure of the last data node as one of all. */
export const toNoDataNode = ({ code, path, message, cause }: FileSystemError): FileSystemError =>
  new FileSystemError(code, path, message, { cause: new NoDataNode(cause) })
