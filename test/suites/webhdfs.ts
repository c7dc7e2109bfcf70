/** Calls of the WebHDFS API through a gateway in memory. */
import type { TestGateway } from './gateway.ts'

/** The answer; the body as JSON where it is some. */
export type WebHdfsAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

/** Asks `op` of a path, which is escaped here. */
export type AskWebHdfs = (
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  query: string,
  init?: RequestInit,
) => Promise<WebHdfsAnswer>

/** Makes it for one gateway. */
export const createAskWebHdfs =
  ({ call }: Pick<TestGateway, 'call'>): AskWebHdfs =>
  async (method, path, query, init = {}) => {
    const target = `/webhdfs/v1${path.split('/').map(encodeURIComponent).join('/')}?op=${query}`
    const duplex = init.body instanceof ReadableStream ? { duplex: 'half' as const } : {}
    const { status, headers, ...response } = await answerOf(await call(target, { method, ...duplex, ...init }))
    return { status, headers, ...response }
  }

const answerOf = async (response: Response): Promise<WebHdfsAnswer> => {
  const text = await response.text()
  const { status, headers } = response
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  return { status, headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
}

/** The class of an error, without its package, and its message. */
export const remoteOf = ({
  json,
}: Pick<WebHdfsAnswer, 'json'>): { readonly exception: string; readonly message: string } => {
  const { RemoteException } = json as { RemoteException: { exception: string; message: string } }
  return { exception: RemoteException.exception, message: RemoteException.message }
}
