/** Every kind of client at once against the real server, a real HDFS and a real broker, with a `kill -9` midway. */

import { afterEach, describe, expect, test } from 'vitest'
import { findFreePorts } from '../../scripts/free-ports.ts'
import { toAmqpAddress, toKafkaTopic } from '../../src/realtime/brokers/topic.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { type BrokerName, describeBroker, type Subscriber, subscribeAmqp, subscribeKafka } from '../suites/brokers.ts'
import { describeBrowser } from '../suites/browser.ts'
import { eventually } from '../suites/eventually.ts'
import { describeHdfs, isRequired } from '../suites/hdfs.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { findEvents } from '../suites/marks.ts'
import { createCurl, whyNoCurl } from '../suites/senders/curl.ts'
import { startNodeTracker } from '../suites/senders/node-tracker.ts'
import { openBeaconPage } from '../suites/senders/page.ts'
import { createScribeClient } from '../suites/senders/scribe-client.ts'
import { createSending, keepSending, typeOf } from '../suites/senders/traffic.ts'
import { createSluice, ownProtocol } from '../suites/sluice-process.ts'

/** How one listens to an event type at each broker. */
const brokers: Readonly<Record<BrokerName, (url: string, eventName: string) => Promise<Subscriber>>> = {
  amqp: (url, eventName) => subscribeAmqp(url, toAmqpAddress('{eventName}', eventName)),
  kafka: (url, eventName) => subscribeKafka(url, toKafkaTopic('{eventName}', eventName)),
}

/** Many batches, so that the server is killed while the tracker is sending them. */
const trackedBefore = 2_000
const trackedDuring = 100
const trackedAfter = 200

const noCurl = whyNoCurl()
if (noCurl !== undefined) console.warn(`everything at once: no curl, ${noCurl}`)

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describe.skipIf(noCurl !== undefined && !isRequired('curl'))('everything at once', async () => {
  test('needs curl', () => expect(noCurl).toBeUndefined())
  for (const [name, subscribe] of Object.entries(brokers) as [BrokerName, (typeof brokers)[BrokerName]][]) {
    await describeBroker(name, `with ${name}`, broker =>
      describeHdfs('and HDFS', ({ namenodeUrl, webhdfsUrl }) =>
        describeBrowser('and a browser', browser => {
          test('what was acknowledged is in HDFS once, and what was chosen at the broker', async () => {
            const [port = 0, scribePort = 0] = await findFreePorts(2)
            const url = `http://127.0.0.1:${port}`
            const outputDirectory = `/everything-${process.pid}-${name}`
            const sluice = await createSluice({
              outputDirectory,
              settings: [
                `namenode.url=${namenodeUrl}`,
                `namenode.webhdfs.url=${webhdfsUrl}`,
                `server.port=${port}`,
                `collector.scribe.port=${scribePort}`,
                `realtime.broker=${broker().url}`,
                `realtime.events=${typeOf(0)}`,
              ],
            })
            closing.push(() => sluice.close())
            await sluice.start()
            const subscribers = await Promise.all([typeOf(0), typeOf(1)].map(type => subscribe(broker().url, type)))
            closing.push(...subscribers.map(subscriber => () => subscriber.close()))
            const [chosen, kept] = subscribers.map(subscriber => () => subscriber.received.flatMap(toEvents))
            const { client } = sluice

            const ways = {
              scribe: createSending(client),
              page: createSending(client),
              tracker: createSending(client),
              curl: createSending(client),
            }
            const page = await openBeaconPage(browser, url, ways.page)
            closing.push(() => page.close())
            const tracker = startNodeTracker(url, `${sluice.directory}/tracker`, ways.tracker)
            closing.push(() => tracker.kill())
            const loops = [
              keepSending(createScribeClient(scribePort, ways.scribe)),
              keepSending(createCurl(url, ways.curl)),
            ]
            closing.push(...loops.map(loop => () => loop.stop()))
            await page.round()
            await eventually(() =>
              expect(Math.min(ways.scribe.acknowledged.size, ways.curl.acknowledged.size)).toBeGreaterThan(20),
            )
            tracker.track(trackedBefore)
            await eventually(() => expect(tracker.counts.answered).toBeGreaterThan(1))

            await sluice.kill()
            tracker.track(trackedDuring)
            await eventually(() => expect(tracker.counts.failed).toBeGreaterThan(0))
            await sluice.start()

            // What was sent before may have been queued for the broker by the process that is gone.
            const firstAfter = client.issued
            tracker.track(trackedAfter)
            await page.round()
            const isAfter = (event: number): boolean => event >= firstAfter
            for (const { acknowledged } of [ways.scribe, ways.curl]) {
              await eventually(() => expect([...acknowledged].filter(isAfter).length).toBeGreaterThan(20))
            }
            for (const loop of loops) await loop.stop()
            const tracked = trackedBefore + trackedDuring + trackedAfter
            expect(await tracker.finish()).toMatchObject({ tracked, accepted: tracked, rejected: 0, waitingBatches: 0 })

            const isChosen = (event: number): boolean => typeOf(event) === typeOf(0)
            const toArrive = [...client.acknowledged].filter(event => isAfter(event) && isChosen(event))
            await eventually(() => expect([...new Set(toArrive).difference(new Set(chosen?.()))]).toEqual([]))
            expect(await sluice.drain()).toBe(0)
            expect(new Set(sluice.ways)).toEqual(new Set([ownProtocol]))
            const arrived = chosen?.() ?? []
            expect(arrived.filter(event => !isChosen(event) || event >= client.issued)).toEqual([])
            expect(kept?.()).toEqual([])
            const { lost, twice, unknown, ...figures } = await sluice.reckon(await openHdfsStore(webhdfsUrl))
            expect({ lost, twice, unknown }).toEqual(allIsWell)
            expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found })
            const counts = Object.entries(ways).map(([way, { acknowledged }]) => `${way} ${acknowledged.size}`)
            console.log(
              `everything, ${name}: ${client.acknowledged.size} of ${client.issued} events acknowledged (${counts.join(', ')}), ${figures.found} in ${figures.files} files of HDFS, ${new Set(arrived).size} at the broker, ${toArrive.length} of them due`,
            )
          })
        }),
      ),
    )
  }
})

const toEvents = ({ text }: { readonly text: string }): number[] => findEvents(Buffer.from(text))
