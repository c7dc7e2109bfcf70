import { createPostSender, createTracker } from '@sluice/tracker'

const tracker = await createTracker({
  sender: createPostSender({ url: process.env['SLUICE_SERVER_URL'] ?? 'http://127.0.0.1:8080' }),
  directory: process.env['SPOOL'] ?? '.eventspool',
  onRejected: ({ event, code, detail }) => console.error('rejected', code, detail, event),
  onError: error => console.error('waiting:', error.message),
})

// Resolves when the event is on disk; it is sent soon after, with others.
await tracker.track({ eventName: 'Purchase', payload: { cents: 1299, items: ['book', 'pen'] } })
await tracker.track({ eventName: 'Purchase', payload: { cents: 250 }, date: new Date(), granularity: 'DAILY' })

const { accepted, waitingBatches } = await tracker.close()
console.log(`${accepted} accepted, ${waitingBatches} batches wait for the next start`)
