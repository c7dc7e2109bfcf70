import { expect, test } from 'vitest'
import { createTestGateway } from '../../suites/gateway.ts'

test('an unknown address is a page for browsers, which reveals nothing of the cluster, and a problem for programs', async () => {
  const { call, fs, close } = await createTestGateway()
  for (const host of ['localhost', 'evil.example']) {
    const page = await call('/nosuch', { headers: { host, accept: 'text/html,*/*;q=0.8' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const html = await page.text()
    expect(html).toContain('No route has this path')
    expect(html).toContain('<a class="button" href="/rest/1.0/hdfs?path=/">')
    expect(html).not.toContain(fs.url)
  }
  const problem = await call('/nosuch', { headers: { accept: '*/*' } })
  expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  const wrongMethod = await call('/nosuch', { method: 'POST' })
  expect(wrongMethod.status).toBe(404)
  await close()
})
