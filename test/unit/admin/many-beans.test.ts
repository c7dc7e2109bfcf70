import { describe, expect, test } from 'vitest'
import { createRpcClient } from '../../../admin/client/rpc-client.ts'
import { attribute, defineBean } from '../../../src/beans/bean.ts'
import { createTestAdmin } from '../../suites/test-admin.ts'

const beanCount = 5_000

/** Goal A1 is about time, which no test looks at; here all is done that a page may do, and no more. */
describe(`with ${beanCount} beans`, () => {
  test('a page reads no attribute, and pages reach all', async () => {
    let reads = 0
    const { registry, fetch } = await createTestAdmin()
    for (let i = 0; i < beanCount; i++) {
      const read = (): number => ++reads
      const attributes = Object.fromEntries(
        Array.from({ length: 5 }, (_, n) => [`A${n}`, attribute('long', 'One.', read)]),
      )
      registry.register(defineBean({ name: `d${i % 10}:name=n${i},type=T`, description: 'A bean.', attributes }))
    }
    const client = createRpcClient({ url: 'http://localhost', fetch })
    const first = await client.list({ limit: 100 })
    expect([first.beans.length, reads]).toEqual([100, 0])
    const seen = new Set<string>()
    for (let page = first; ; page = await client.list({ limit: 1_000, after: page.next ?? '' })) {
      for (const { mbean } of page.beans) seen.add(mbean)
      if (page.next === undefined) break
    }
    expect(seen.size).toBe(beanCount)
    expect(await client.search('d3:name=n1*,*')).toHaveLength(111)
    expect(Object.keys((await client.readMany('*:type=T,*', 'A0')).value)).toHaveLength(beanCount)
    expect(reads).toBe(beanCount)
  })
})
