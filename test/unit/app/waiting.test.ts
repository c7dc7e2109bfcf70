import { expect, test } from 'vitest'
import { createTestGateway } from '../../suites/gateway.ts'

/** A collector whose next flush is far away, with some events that wait, beside the gateway. */
const start = async (...settings: string[]) => {
  const far = 'collector.diskspool.flush-interval-seconds=86400'
  const server = await createTestGateway({ settings: ['services=collector,gateway', far, ...settings] })
  const send = (eventName: string) =>
    server.call('/rest/1.0/event', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ eventName, payload: { a: 1 } }),
    })
  const page = async (path: string, query = ''): Promise<readonly [status: number, text: string]> => {
    const target = `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
    const answer = await server.call(target, { headers: { accept: 'text/html' } })
    return [answer.status, await answer.text()]
  }
  return { ...server, send, page }
}

test('the page of a type tells what waits for the flush and when that is, whether its directory is there or not', async () => {
  const { send, page, fs, close } = await start()
  for (const name of ['Click', 'Click', 'Click', 'a b']) expect((await send(name)).status).toBe(202)
  const [status, missing] = await page('/events/Click')
  expect(status).toBe(404)
  expect(missing).toContain('3 events wait for the flush.')
  expect(missing).toMatch(/The next flush is at <time datetime="\d{4}-\d\d-\d\dT00:00:00Z">/)
  await fs.mkdirs('/events/Click')
  for (const query of ['', '&show=newest']) {
    expect(await page('/events/Click', query)).toEqual([200, expect.stringContaining('3 events wait for the flush.')])
  }
  expect((await page('/events/a%20b'))[1]).toContain('1 event waits for the flush.')
  await fs.mkdirs('/events/a%20b')
  expect((await page('/events/a%20b'))[1]).toContain('<h1><bdi>a%20b</bdi> <small><bdi>a b</bdi></small></h1>')
  expect((await page('/events/Click'))[1]).toContain('<h1><bdi>Click</bdi></h1>')
  expect((await page('/events/Other'))[1]).not.toContain('for the flush')
  await close()
})

test('what is above the types leads to those that wait, by their names for people', async () => {
  const { send, page, close } = await start()
  expect((await page('/'))[1]).not.toContain('for the flush')
  for (const name of ['Click', 'a b']) await send(name)
  for (const path of ['/', '/events']) {
    const [, html] = await page(path)
    expect(html).toContain('2 events wait for the flush.')
    expect(html).toContain('<a href="/rest/1.0/hdfs?path=/events/a%2520b"><bdi>a b</bdi></a>')
  }
  await close()
})

test('a flush that is held is shown', async () => {
  const { app, send, page, close } = await start()
  const params = { mbean: 'sluice.metrics.collector:name=HDFSWriter', operation: 'disableFlush' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'exec', params })
  const headers = { 'content-type': 'application/json' }
  const answer = await app.adminFetch(new Request('http://localhost/rpc', { method: 'POST', headers, body }))
  expect(await answer.json()).toMatchObject({ result: { flushEnabled: false } })
  await send('Click')
  expect((await page('/events/Click'))[1]).toContain('Flushing is held')
  await close()
})

test('the listing of the types shows them by their names for people, and how these are stored', async () => {
  const { page, fs, close } = await start()
  for (const path of ['/events/a%20b/2024', '/events/50%', '/events/a%2Fb', '/events/Click', '/other/a%20b'])
    await fs.mkdirs(path)
  const [, html] = await page('/events')
  expect(html).toContain('<span><bdi>a b/2024</bdi> <small class="dim"><bdi>a%20b/2024</bdi></small>')
  expect(html).toContain('href="/rest/1.0/hdfs?path=/events/a%2520b/2024"')
  expect(html).toContain('<span><bdi>50%</bdi><span')
  expect(html).toContain('<span><bdi>a%2Fb</bdi><span')
  expect(html).toContain('<span><bdi>Click</bdi><span')
  expect((await page('/other'))[1]).toContain('<span><bdi>a%20b</bdi><span')
  await close()
})
