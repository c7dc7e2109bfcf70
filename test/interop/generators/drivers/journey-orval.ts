// With a client that orval made: `send URL TYPE` sends events.
import { type Event, postEvent } from './client'

const event = (eventName: string, n: number): Event => ({ eventName, payload: { n, big: Number(9007199254740993n) } })

const send = async (type: string): Promise<void> => {
  const one = await postEvent([event(type, 1)], undefined, { headers: { 'Idempotency-Key': `one-${type}` } })
  if (one.status === 202) console.log('event', one.data.accepted, one.data.rejected)
  const batch = await postEvent([event(type, 2), event('a/b', 3), event(type, 4)])
  if (batch.status !== 202) throw new Error(`HTTP ${batch.status}`)
  const { accepted, rejected, errors } = batch.data
  console.log('batch', accepted, rejected, errors[0]?.index, errors[0]?.code)
}

const main = async ([, url = '', type = '']: readonly string[]): Promise<void> => {
  // The client calls paths; a page has them relative to itself.
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => fetch(new URL(String(input), url), init)
  await send(type)
}

void main(process.argv.slice(2))
