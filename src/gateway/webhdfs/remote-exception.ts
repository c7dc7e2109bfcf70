/**
 * Errors as Hadoop's clients know them (Hadoop's "WebHDFS REST API", "Error Responses"):
 *
 *     {"RemoteException":{"exception":"FileNotFoundException","javaClassName":"java.io.FileNotFoundException","message":…}}
 *
 * A client in Java throws the class again, where it has it.
 */
import { InvalidToken } from '../../delegation/delegation-tokens.ts'
import { type ErrorCode, SluiceError, toErrorHeaders, toProblem } from '../../errors.ts'
import { effectOf, isRefusedProof, remoteOf } from '../../filesystem/cluster/remote-exception.ts'
import { FileSystemError, type FileSystemErrorCode } from '../../filesystem/filesystem.ts'

type Known = { readonly status: number; readonly javaClassName: string }

const known = {
  'bad-path': { status: 400, javaClassName: 'org.apache.hadoop.fs.InvalidPathException' },
  unauthenticated: {
    status: 401,
    javaClassName: 'org.apache.hadoop.security.authentication.client.AuthenticationException',
  },
  denied: { status: 403, javaClassName: 'org.apache.hadoop.security.AccessControlException' },
  'forbidden-host': { status: 403, javaClassName: 'org.apache.hadoop.security.authorize.AuthorizationException' },
  'not-found': { status: 404, javaClassName: 'java.io.FileNotFoundException' },
  exists: { status: 403, javaClassName: 'org.apache.hadoop.fs.FileAlreadyExistsException' },
  'is-directory': { status: 403, javaClassName: 'org.apache.hadoop.fs.FileAlreadyExistsException' },
  'not-empty': { status: 403, javaClassName: 'org.apache.hadoop.fs.PathIsNotEmptyDirectoryException' },
  'not-directory': { status: 403, javaClassName: 'org.apache.hadoop.fs.ParentNotDirectoryException' },
  'range-not-satisfiable': { status: 403, javaClassName: 'java.io.IOException' },
  'quota-exceeded': { status: 507, javaClassName: 'org.apache.hadoop.hdfs.protocol.QuotaExceededException' },
  'method-not-allowed': { status: 405, javaClassName: 'java.lang.UnsupportedOperationException' },
  unsupported: { status: 400, javaClassName: 'java.lang.UnsupportedOperationException' },
  internal: { status: 500, javaClassName: 'java.lang.RuntimeException' },
  overloaded: { status: 503, javaClassName: 'org.apache.hadoop.ipc.RetriableException' },
  draining: { status: 503, javaClassName: 'org.apache.hadoop.ipc.RetriableException' },
  unavailable: { status: 503, javaClassName: 'org.apache.hadoop.ipc.RetriableException' },
} as const satisfies Partial<Record<ErrorCode, Known>>

/** Something that Hadoop's clients are to take for a failure which they can do without, and not for a lack of ours. */
export class RemoteIoError extends SluiceError {
  constructor({ message }: Pick<Error, 'message'>) {
    super('unsupported', message)
  }
}

/**
 * The response for something thrown: where a cluster has refused for good, with its own words, otherwise with the class
 * that Hadoop has for it.
 * @param method of the request: a directory that cannot be read is a file that is not there
 */
export const toRemoteException = (error: unknown, method: string): Response => {
  const { status, javaClassName, message } = toRemote(error, method)
  const exception = javaClassName.replace(/.*[.$]/, '')
  return new Response(JSON.stringify({ RemoteException: { exception, javaClassName, message } }), {
    status,
    headers: { 'content-type': 'application/json', ...toErrorHeaders(error, status) },
  })
}

/** The status of that response. */
export const toRemoteStatus = (error: unknown, method: string): number => toRemote(error, method).status

const toRemote = (error: unknown, method: string): Known & { readonly message: string } => {
  const own = ofCluster(error)
  if (own) return own
  if (error instanceof RemoteIoError)
    return { status: 403, javaClassName: 'java.io.IOException', message: error.message }
  if (error instanceof InvalidToken) return { status: 403, javaClassName: invalidToken, message: error.message }
  const { code, status, title, detail = title } = toProblem(error)
  const message = hadoopWordsOf(error) ?? detail
  if (code === 'is-directory' && method === 'GET') {
    return { status: 404, javaClassName: 'java.io.FileNotFoundException', message }
  }
  if (hasClass(code)) return { ...known[code], message }
  return { status, javaClassName: 'java.lang.IllegalArgumentException', message }
}

const invalidToken = 'org.apache.hadoop.security.token.SecretManager$InvalidToken'

/** What a client may fix with a new token: Hadoop's does where the message of a refused call begins with these words. */
export const toRefusedToken = ({ message }: InvalidToken): InvalidToken =>
  new InvalidToken(`Failed to obtain user group information: ${invalidToken}: ${message}`)

const hasClass = (code: ErrorCode): code is keyof typeof known => Object.hasOwn(known, code)

/** Clients look for these: HdfsCLI's `upload` takes a directory for one to be made where "does not exist" is said of it. */
const hadoopWords: { readonly [Code in FileSystemErrorCode]?: (path: string) => string } = {
  'not-found': path => `File does not exist: ${path}`,
  exists: path => `${path} already exists`,
  'not-directory': path => `${path} (is not a directory)`,
  'not-empty': path => `${path} is non empty`,
}

/** What Hadoop says where a file system fails so. */
const hadoopWordsOf = (error: unknown): string | undefined =>
  error instanceof FileSystemError ? hadoopWords[error.code]?.(error.path) : undefined

/**
 * What a cluster has refused, and would refuse again: it says best why. Of a mounted one the path is another here. That it
 * does not know this server is nothing that the caller could fix, with a token of his own perhaps.
 */
const ofCluster = (error: unknown): (Known & { readonly message: string }) | undefined => {
  if (!(error instanceof FileSystemError)) return undefined
  const remote = remoteOf(error)
  if (remote === undefined || effectOf(error) !== 'final' || isRefusedProof(error)) return undefined
  const { path } = error.cause instanceof FileSystemError ? error.cause : error
  const message = path.length > 1 ? remote.message.replaceAll(path, error.path) : remote.message
  // A server in front of Hadoop may leave out the package.
  return { status: remote.httpStatus, javaClassName: remote.javaClassName || remote.exception, message }
}
