import { expect, test } from 'vitest'
import type { PassScope } from '../../../src/compaction/hourly/news.ts'
import { startTestServer } from '../../suites/admin.ts'
import { hourly, tableSettings } from '../../suites/saying-pass.ts'

test('a pass knows for which collector it is, so that tables can say it', async () => {
  const scopes: PassScope[] = []
  const server = await startTestServer({
    set: tableSettings,
    startPass: scope => {
      scopes.push(scope)
      return { ended: new Promise(() => {}), kill: () => {} }
    },
  })
  server.reload(hourly)
  const { value: collectorId } = await server.rpc.read('sluice.metrics.collector:name=Spool', 'CollectorId')
  expect(collectorId).toMatch(/^[\da-f]{32}$/)
  expect(scopes).toMatchObject([{ merges: true, collectorId }])
})
