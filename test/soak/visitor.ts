import { setTimeout } from 'node:timers/promises'
import { createGatewayClient, type GatewayClient } from '../../clients/gateway/gateway-client.ts'
import type { Tally } from './tally.ts'

export type VisitorOptions = {
  readonly port: number
  /** Where it has files of its own. */
  readonly directory: string
  /** Event files that will stay for a while. */
  readonly eventFiles: () => readonly string[]
  readonly tally: Tally
}

const pauseMs = 500
/** Lines by which its growing file grows each time, and at which it starts again. */
const linesOfRound = 20
const maxLines = 2_000
const uploadBytes = 256 * 1024
/** Uploads that are kept at a time. */
const keptUploads = 3

/** Somebody at the gateway: looks at pages, reads rows, puts files there and takes them away, until `stop`. */
export const startVisitor = (options: VisitorOptions): { readonly rounds: number; stop(): Promise<void> } => {
  const client = createGatewayClient({ host: '127.0.0.1', port: options.port })
  const stopping = new AbortController()
  let rounds = 0
  const steps = [look, readEventFile, growFile, uploadAndDelete]
  const all = (async () => {
    for (; !stopping.signal.aborted; rounds++) {
      for (const step of steps) {
        await step(client, options, rounds).catch((error: unknown) =>
          options.tally.failed(`gateway, ${step.name}: ${String(error)}`),
        )
      }
      await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    get rounds() {
      return rounds
    },
    stop: async () => {
      stopping.abort()
      await all
      await client.close()
    },
  }
}

type Step = (client: GatewayClient, options: VisitorOptions, round: number) => Promise<void>

/** The pages of the root and of an event file. */
const look: Step = async (_, { port, eventFiles }) => {
  for (const path of ['/', ...eventFiles().slice(0, 1)]) {
    const response = await fetch(`http://127.0.0.1:${port}/rest/1.0/hdfs?path=${encodeURIComponent(path)}&raw=true`)
    const text = await response.text()
    check(response.status === 200 && text.includes('</html>'), `${path} was answered ${response.status}`)
  }
}

const readEventFile: Step = async (client, { eventFiles }, round) => {
  const files = eventFiles()
  const path = files[round % files.length]
  if (path === undefined) return
  let rows = 0
  for await (const _ of client.rows(path)) rows++
  check(rows > 0, `${path} has no rows`)
}

/** A file that has more rows each time it is read. */
const growFile: Step = async (client, { directory }, round) => {
  const path = `${directory}/growing.txt`
  const lines = (((round + 1) * linesOfRound - 1) % maxLines) + 1
  const text = Array.from({ length: lines }, (_, i) => `${i}\tline ${i}\t${round}\n`).join('')
  await client.upload(Buffer.from(text), path, { overwrite: true })
  let rows = 0
  for await (const _ of client.rows(path)) rows++
  check(rows === lines, `${path} has ${rows} rows, not ${lines}`)
}

const uploadAndDelete: Step = async (client, { directory }, round) => {
  const bytes = Buffer.alloc(uploadBytes, round % 256)
  const path = `${directory}/upload-${round}`
  await client.upload(bytes, path)
  const read = Buffer.from(await new Response(await client.open(path)).arrayBuffer())
  check(read.equals(bytes), `${path} came back other than it was sent`)
  if (round >= keptUploads) await client.delete(`${directory}/upload-${round - keptUploads}`)
}

const check = (isRight: boolean, message: string): void => {
  if (!isRight) throw new Error(message)
}
