import { FormatError } from '../../errors.ts'
import { NotProven, RemoteException, toNetworkError, toRemoteRefusal } from '../cluster/remote-exception.ts'
import { FileSystemError } from '../filesystem.ts'
import { ReplicaError } from './data-node/replica-error.ts'
import { SaslError } from './tokens/digest-md5.ts'

/** What failed at a node as {@link FileSystemError}: what it refused, how it broke the protocol, or the connection to it. */
export const toFileSystemError = (error: unknown, peer: string, action: string, path: string): FileSystemError => {
  if (error instanceof FileSystemError) return error
  if (error instanceof RemoteException) return toRemoteRefusal(error, action, path)
  const reason = reasonOf(error)
  if (reason === undefined) return toNetworkError(error, peer, action, path)
  return new FileSystemError('unavailable', path, `Cannot ${action} "${path}": ${peer} ${reason}`, { cause: error })
}

const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof ReplicaError) return error.message
  if (error instanceof NotProven) return `cannot be asked: ${error.message}`
  if (error instanceof SaslError) return `cannot be spoken to: ${error.message}`
  if (error instanceof FormatError || error instanceof RangeError) return `broke the protocol: ${error.message}`
  return undefined
}
