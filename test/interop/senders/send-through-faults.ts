import { join } from 'node:path'
import { expect, test } from 'vitest'
import { doorNames } from '../../../src/collector/doors/door-names.ts'
import { readEvents } from '../../foreign/read-events.ts'
import { openLocalStore } from '../../foreign/store.ts'
import { startServer } from '../../integration/clients/server.ts'
import { failuresEach, faults, openFaultyProxy } from './faulty-proxy.ts'
import type { Sender } from './sender.ts'

/**
 * Tests that a sender's events are in the files of the real server, each once, though each of their requests fails three times; those
 * without identity once for each time that the server has taken them, and never less.
 */
export const testThroughFaults = ({ send, hasIds = true }: Sender): void => {
  test.concurrent.for(Object.entries(faults))('though %s, three times', async ([, fault]) => {
    const server = await startServer(`collector.doors=${doorNames.join(',')}`)
    const proxy = await openFaultyProxy(server.url, fault)
    try {
      await send(proxy.url, names)
      await server.commit()
      const failures = [...proxy.failures.values()]
      expect(failures).toHaveLength(names.length)
      // More where an SDK puts an event beside a newer one.
      expect(Math.min(...failures)).toBeGreaterThanOrEqual(failuresEach)
      const { events } = await readEvents(openLocalStore(join(server.directory, 'data/fs')), '/events')
      const times = hasIds || !fault.isTaken ? 1 : 1 + failuresEach
      const want = names.flatMap(name => Array.from({ length: times }, () => name))
      expect(events.map(({ name }) => name).toSorted()).toEqual(want)
    } finally {
      await proxy.close()
      await server.close()
    }
  })
}

const names = ['invoice', 'order']
