import { createRequire } from 'node:module'
import { installForeign } from './install.ts'
import type { Store } from './store.ts'

/** As far as it is called here: the package `webhdfs` has no types. */
type WebHdfs = {
  createClient(
    options: { readonly host: string; readonly port: string; readonly path: string },
    request: { readonly qs: Query },
  ): {
    readdir(path: string, callback: (error: Error | null, entries?: readonly FileStatus[]) => void): void
    createReadStream(path: string): NodeJS.EventEmitter
  }
}
/** What is added to the queries of calls at the name node. */
type Query = Readonly<Record<string, string>>
/** A member of Hadoop's FileStatuses. */
type FileStatus = { readonly pathSuffix: string; readonly type: 'FILE' | 'DIRECTORY'; readonly length: number }

/**
 * HDFS, read by the npm package `webhdfs`. It gives the text of an error for the contents of a file and takes an empty
 * answer for an empty file, so what it reads is held against the length that the listing says.
 * @param query asked for before each call: a secure cluster wants `delegation`
 */
export const openHdfsStore = async (
  webhdfsUrl: string,
  query: () => Query | Promise<Query> = () => ({}),
): Promise<Store> => {
  await installForeign()
  const webhdfs = createRequire(import.meta.url)('webhdfs') as WebHdfs
  const { hostname, port } = new URL(webhdfsUrl)
  // A client keeps the path of its last request: each call takes a new one, so that calls can run side by side.
  const newClient = async () =>
    webhdfs.createClient({ host: hostname, port, path: '/webhdfs/v1' }, { qs: await query() })
  const lengths = new Map<string, number>()
  return {
    list: async directory => {
      const client = await newClient()
      return await new Promise((resolve, reject) => {
        client.readdir(directory, (error, entries = []) => {
          if (error && !/does not exist/.test(error.message)) return reject(error)
          for (const { pathSuffix, length } of entries) lengths.set(`${directory}/${pathSuffix}`, length)
          resolve(
            entries.map(({ pathSuffix, type }) => ({
              path: `${directory}/${pathSuffix}`,
              isDirectory: type === 'DIRECTORY',
            })),
          )
        })
      })
    },
    read: async path => {
      const client = await newClient()
      return await new Promise((resolve, reject) => {
        const chunks: Uint8Array[] = []
        const stream = client.createReadStream(path)
        stream.on('error', reject)
        stream.on('data', (chunk: Uint8Array) => chunks.push(chunk))
        stream.on('finish', () => {
          const bytes = Buffer.concat(chunks)
          const length = lengths.get(path)
          if (length === undefined || length === bytes.length) resolve(bytes)
          else reject(new Error(`webhdfs read ${bytes.length} of the ${length} bytes of ${path}`))
        })
      })
    },
  }
}
