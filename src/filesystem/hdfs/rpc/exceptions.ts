import { RemoteException } from '../../cluster/remote-exception.ts'

/** Longest message that is repeated, in UTF-16 units. */
const maxMessageLength = 400

/** What the server threw: its message has a stack trace after the first line. */
export const remoteExceptionOf = (javaClassName = '', errorMsg = ''): RemoteException => {
  const exception = javaClassName.replace(/.*[.$]/, '')
  const [line = ''] = errorMsg.split('\n')
  const message = line.slice(0, maxMessageLength) || exception || 'without a reason'
  return new RemoteException(exception || 'IOException', statusOf(exception), message, javaClassName)
}

/** The HTTP status that WebHDFS has for it (Hadoop's `ExceptionHandler`). */
const statusOf = (exception: string): number => {
  if (exception === 'FileNotFoundException') return 404
  if (exception.endsWith('IllegalArgumentException') || exception === 'UnsupportedOperationException') return 400
  return exception.startsWith('Rpc') ? 501 : 403
}
