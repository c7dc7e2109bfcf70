import { createSluiceClient } from '@sluice/client'

const baseUrl = process.env['SLUICE_SERVER_URL'] ?? 'http://127.0.0.1:8080'
const client = createSluiceClient({ baseUrl })

await client.POST('/rest/1.0/event', {
  body: [{ eventName: 'PageView', payload: { path: '/news', durationMs: 87 } }],
  params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
})

const { data, error } = await client.GET('/rest/1.0/json', { params: { query: { path: '/', content: false } } })
if (error) console.error(error.code, error.detail)
else console.log(`${data.path} has ${data.entries.length} entries`)
