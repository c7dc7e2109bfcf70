/**
 * A program with the tracker: tracks the events that come in, one as JSON on each line, until the input ends, then
 * closes the tracker. It prints `safe` for each event on its disk, `answered` or `failed` for each request, and in the
 * end the tracker's figures as JSON.
 *
 *     node test/suites/senders/node-tracker-child.ts URL DIRECTORY
 */
import { createInterface } from 'node:readline'
import { createPostSender, createTracker } from '../../../clients/tracker/index.ts'

const [url = '', directory = ''] = process.argv.slice(2)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const sender = createPostSender({
  url,
  fetch: async (target, init) => {
    try {
      const response = await fetch(target, init)
      print('answered')
      return response
    } catch (error) {
      print('failed')
      throw error
    }
  },
})
const tracker = await createTracker({
  sender,
  directory,
  maxBatchEvents: 25,
  backoff: { firstMs: 50, maxMs: 500 },
  onRejected: ({ detail }) => console.error(detail),
})
const tracking: Promise<void>[] = []
for await (const line of createInterface(process.stdin)) {
  tracking.push(tracker.track(JSON.parse(line)).then(() => print('safe')))
}
await Promise.all(tracking)
print(JSON.stringify(await tracker.close()))
