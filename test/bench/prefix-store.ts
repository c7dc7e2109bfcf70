/**
 * An object store that holds very many empty objects below one prefix, and can only list and look: what the gateway takes for
 * a listing, and not what a store takes.
 *
 *     node test/bench/prefix-store.ts 250000
 */
import { createServer } from 'node:http'

const count = Number(process.argv[2])
const prefix = 'lake/many/'
const nameOf = (at: number): string => `part-${String(at).padStart(6, '0')}`
const tail =
  '<LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>0</Size>'

/** Behind which entry a page begins: of a name, or a token of this store. */
const toStart = (query: URLSearchParams): number => {
  const token = query.get('continuation-token')
  if (token !== null) return Number(token)
  const [, name] = /part-(\d{6})/.exec(query.get('start-after') ?? '') ?? []
  return name === undefined ? 0 : Number(name) + 1
}

const list = (query: URLSearchParams): string => {
  const asked = query.get('prefix') ?? ''
  const head = '<EncodingType>url</EncodingType>'
  if (asked === 'lake/')
    return `<ListBucketResult>${head}<IsTruncated>false</IsTruncated><CommonPrefixes><Prefix>${prefix}</Prefix></CommonPrefixes></ListBucketResult>`
  if (asked !== prefix) return `<ListBucketResult>${head}<IsTruncated>false</IsTruncated></ListBucketResult>`
  const start = toStart(query)
  const end = Math.min(count, start + Number(query.get('max-keys') ?? 1_000))
  let items = ''
  for (let at = start; at < end; at++) items += `<Contents><Key>${prefix}${nameOf(at)}</Key>${tail}</Contents>`
  const next = end < count ? `<NextContinuationToken>${end}</NextContinuationToken>` : ''
  return `<ListBucketResult>${head}<IsTruncated>${end < count}</IsTruncated>${next}${items}</ListBucketResult>`
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://store')
  request.resume()
  const isListing = request.method === 'GET' && url.searchParams.get('list-type') === '2'
  if (isListing) response.end(list(url.searchParams))
  else response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  process.stdout.write(`${JSON.stringify({ msg: 'the store is ready', server: `http://127.0.0.1:${port}` })}\n`)
})
