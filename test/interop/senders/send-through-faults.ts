import { join } from 'node:path'
import { expect, test } from 'vitest'
import { doorNames } from '../../../src/collector/doors/door-names.ts'
import { readEvents } from '../../foreign/read-events.ts'
import { openLocalStore } from '../../foreign/store.ts'
import { startServer } from '../../integration/clients/server.ts'
import { someOf } from '../../suites/stride.ts'
import { type Fault, type FaultyProxy, failuresEach, faults, openFaultyProxy } from './faulty-proxy.ts'
import type { Sender } from './sender.ts'

/** Tests what {@link sendThroughFault} expects, for ways in which requests fail. */
export const testThroughFaults = ({ send, hasIds }: Sender): void => {
  test.concurrent.for(someOf(Object.entries(faults), 3))('though %s, three times', ([, fault]) =>
    sendThroughFault(fault, proxy => send(proxy.url, names), hasIds),
  )
}

/** Names of the events that are sent. */
export const names = ['invoice', 'order']

/**
 * Expects that a sender's events are in the files of the real server, each once, though each of their requests fails three
 * times; those without identity once for each time that the server has taken them, and never less.
 * @param also what it sends besides {@link names}
 */
export const sendThroughFault = async (
  fault: Fault,
  send: (proxy: FaultyProxy) => Promise<void>,
  hasIds = true,
  { settings = [], also = [] }: { readonly settings?: readonly string[]; readonly also?: readonly string[] } = {},
): Promise<void> => {
  const server = await startServer(`collector.doors=${doorNames.join(',')}`, ...settings)
  const proxy = await openFaultyProxy(server.url, fault)
  try {
    await send(proxy)
    await server.commit()
    const failures = [...proxy.failures.values()]
    const all = [...names, ...also].toSorted()
    expect(failures).toHaveLength(all.length)
    // More where an SDK puts an event beside a newer one.
    expect(Math.min(...failures)).toBeGreaterThanOrEqual(failuresEach)
    const { events } = await readEvents(openLocalStore(join(server.directory, 'data/fs')), '/events')
    const times = hasIds || !fault.isTaken ? 1 : 1 + failuresEach
    const want = all.flatMap(name => Array.from({ length: times }, () => name))
    expect(events.map(({ name }) => name).toSorted()).toEqual(want)
  } finally {
    await proxy.close()
    await server.close()
  }
}
