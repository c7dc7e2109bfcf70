// Tracks numbered events until it is killed, and says which are safe on disk. Arguments: URL, directory, first number.
import { createPostSender, createTracker } from '../../../clients/tracker/index.ts'

const [url = '', directory = '', first = '0'] = process.argv.slice(2)
const tracker = await createTracker({
  sender: createPostSender({ url }),
  directory,
  maxBatchEvents: 50,
  onRejected: ({ detail }) => console.error(detail),
})
let next = Number(first)
const track = async (): Promise<void> => {
  for (;;) {
    const n = next++
    await tracker.track({ eventName: 'Killed', payload: { n } })
    process.stdout.write(`${n}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, track))
