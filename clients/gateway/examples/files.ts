import { createGatewayClient, GatewayError } from '@sluice/gateway-client'

const { hostname, port } = new URL(process.env['SLUICE_SERVER_URL'] ?? 'http://127.0.0.1:8080')
const client = createGatewayClient({ host: hostname, port: Number(port) })

await client.upload(Buffer.from('sluice\t7\ngate\t4\n'), '/example/words.txt', { overwrite: true })

// Rows arrive while they are read; a range and a shape of one's own are optional.
const as = (row: Record<string, unknown>) => ({ word: String(row['col-0']), count: Number(row['col-1']) })
for await (const { word, count } of client.rows('/example/words.txt', { range: [0, 99], as })) console.log(word, count)

const target = process.env['TARGET'] ?? 'words.txt'
const { size } = await client.download('/example/words.txt', target, { overwrite: true })
console.log(`${size} bytes in ${target}`)

await client.delete('/example', { recursive: true })
await client.open('/example/words.txt').catch((error: unknown) => {
  console.log(error instanceof GatewayError ? error.code : error)
})
await client.close()
