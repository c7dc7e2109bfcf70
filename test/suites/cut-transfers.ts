import { type IncomingMessage, request } from 'node:http'

/** How a transfer ended; `short` is what must not be: a whole answer with fewer bytes than announced, or other ones. */
export type TransferEnd = 'whole' | 'refused' | 'aborted' | 'short'

/** Distinguishable bytes: each place of each file has its own. */
export const toBytes = (seed: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32LE((seed * 2_654_435_761 + i) >>> 0, i)
  return bytes
}

/** Half of the files, by their names, go by the gateway's own routes, the others by the WebHDFS API. */
const goesByWebHdfs = (path: string): boolean => (path.codePointAt(path.length - 1) ?? 0) % 2 === 1

const toTarget = (base: string, route: '' | '/binary', path: string): string =>
  goesByWebHdfs(path)
    ? `${base}/webhdfs/v1${encodeURI(path)}?op=${route === '' ? 'CREATE&data=true' : 'OPEN'}`
    : `${base}/rest/1.0${route}?path=${encodeURIComponent(path)}`

export type UploadOptions = {
  /** The client goes away after so many bytes. @default it stays */
  readonly cutAt?: number | undefined
  readonly isChunked?: boolean
  /** Called when the first half is sent; the second half waits for it. */
  readonly atHalf?: () => Promise<void>
}

/** Uploads a file over a connection of its own. */
export const upload = (
  base: string,
  path: string,
  bytes: Buffer,
  { cutAt, isChunked = false, atHalf = async () => {} }: UploadOptions = {},
): Promise<TransferEnd> =>
  new Promise(resolve => {
    const headers = isChunked ? {} : { 'content-length': bytes.length }
    const method = goesByWebHdfs(path) ? 'PUT' : 'POST'
    const sent = request(toTarget(base, '', path), { method, agent: false, headers })
    sent.on('response', answer => {
      answer.resume()
      answer.on('close', () => resolve(answer.statusCode === 201 ? 'whole' : 'refused'))
    })
    sent.on('error', () => resolve('aborted'))
    const end = cutAt ?? bytes.length
    const half = end >> 1
    sent.write(bytes.subarray(0, half), () => {
      void atHalf().then(() => {
        if (cutAt === undefined) sent.end(bytes.subarray(half))
        else sent.write(bytes.subarray(half, end), () => sent.destroy(new Error('The client goes away')))
      })
    })
  })

/** Downloads a file over a connection of its own, and compares what comes with a prefix of `want`. */
export const download = (
  base: string,
  path: string,
  want: Buffer,
  /** Called when the first bytes are there; the rest is not read before it is done. */
  atFirst: () => Promise<void> = async () => {},
): Promise<TransferEnd> =>
  new Promise(resolve => {
    const sent = request(toTarget(base, '/binary', path), { agent: false })
    sent.on('error', () => resolve('aborted'))
    sent.on('response', answer => void receive(answer, want, atFirst).then(resolve))
    sent.end()
  })

const receive = async (answer: IncomingMessage, want: Buffer, atFirst: () => Promise<void>): Promise<TransferEnd> => {
  let length = 0
  let isSame = true
  try {
    for await (const chunk of answer) {
      const bytes: Buffer = chunk
      if (length === 0) await atFirst()
      isSame &&= bytes.equals(want.subarray(length, length + bytes.length))
      length += bytes.length
    }
  } catch {
    return 'aborted'
  }
  if (answer.statusCode !== 200) return 'refused'
  const announced = answer.headers['content-length']
  return isSame && length === Number(announced ?? want.length) ? 'whole' : 'short'
}
