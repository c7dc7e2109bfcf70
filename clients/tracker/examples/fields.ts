import { createDirectTracker, createScribeSender, createTracker, field } from '@sluice/tracker'

const url = process.env['SLUICE_SERVER_URL'] ?? 'http://127.0.0.1:8080'
const visit = { eventName: 'Visit', fields: [field.text('/news'), field.i32(87), field.bool(true)] }

// GET, version 1: no spool. What the server has not taken is an error here.
const direct = createDirectTracker({ url })
await direct.track({ ...visit, fields: [...visit.fields, field.annotation('ua')] })
await direct.close()

// Scribe, with a spool.
const tracker = await createTracker({
  sender: createScribeSender({ host: '127.0.0.1', port: Number(process.env['SCRIBE_PORT'] ?? 7911) }),
  directory: process.env['SPOOL'] ?? '.scribespool',
  onRejected: () => {},
})
await tracker.track(visit)
console.log(await tracker.close())
