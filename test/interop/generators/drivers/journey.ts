// With a generated client: `send URL TYPE` sends events, `use URL TYPE` does everything else.
import { Configuration, type Event, EventsApi, FilesApi, ResponseError, ServerApi } from './client'

const event = (eventName: string, n: number): Event => ({ eventName, payload: { n, big: Number(9007199254740993n) } })

const send = async (events: EventsApi, type: string): Promise<void> => {
  const one = await events.postEvent({ event: [event(type, 1)], idempotencyKey: `one-${type}` })
  console.log('event', one.accepted, one.rejected)
  const batch = await events.postEvent({ event: [event(type, 2), event('a/b', 3), event(type, 4)] })
  console.log('batch', batch.accepted, batch.rejected, batch.errors[0]?.index, batch.errors[0]?.code)
}

const read = async (files: FilesApi, path: string): Promise<void> => {
  const listing = await files.readJson({ path, content: false })
  for (const entry of listing.entries) {
    console.log('listing', entry.path.startsWith(`${listing.path}/`), entry.isDir)
  }
  for (const { content } of (await files.readJson({ path, recursive: true })).entries) {
    for (const row of content) console.log('row', row['n'], row['big'])
  }
}

const upload = async (files: FilesApi, path: string, content: readonly number[], overwrite: boolean): Promise<void> => {
  const body = new Blob([new Uint8Array(content)])
  const uploaded = await files.uploadFile({ path, body, overwrite, permission: '640' })
  console.log('uploaded', uploaded.path, uploaded.size, uploaded.permission)
}

const statusOf = async (call: Promise<unknown>): Promise<number | undefined> =>
  await call.then(
    () => undefined,
    error => (error instanceof ResponseError ? error.response.status : Promise.reject(error)),
  )

const handleFiles = async (files: FilesApi, directory: string): Promise<void> => {
  const path = `${directory}/ü 1.bin`
  await upload(files, path, [1], false)
  await upload(files, path, [0, 0xff, 0x0d, 0x0a, 0x41], true)
  console.log('refused', await statusOf(upload(files, path, [2], false)))
  const got = await (await files.readBinary({ path })).arrayBuffer()
  console.log('download', Buffer.from(got).toString('hex'))
  console.log('deleted', (await files.deletePath({ path })).deleted)
  console.log('gone', await statusOf(files.readBinary({ path })))
}

const main = async ([verb, basePath = '', type = '']: readonly string[]): Promise<void> => {
  const configuration = new Configuration({ basePath })
  if (verb === 'send') return send(new EventsApi(configuration), type)
  const health = await new ServerApi(configuration).getHealth()
  const item = health.items.find(candidate => candidate.type === 'RealtimeHealthCheck')
  console.log('health', item?.type, item?.code)
  const files = new FilesApi(configuration)
  await read(files, `/events/${type}`)
  await handleFiles(files, `/up-${type}`)
}

void main(process.argv.slice(2))
