/** Machines that are lost with their disks, while two collectors have their logs in an object store: real processes, since what is lost is one. */
import { afterEach, expect, test } from 'vitest'
import { createMountTable } from '../../src/filesystem/mounts.ts'
import { createS3FileSystem } from '../../src/filesystem/s3.ts'
import { withLogs } from '../../src/spool/replica/log-directory.ts'
import { replicatedSettings } from '../fleet/cluster.ts'
import { createFleet, type Fleet } from '../fleet/fleet.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { type FakeS3, startFakeS3, testEnv } from '../suites/s3/fake-s3.ts'
import { storeOf } from '../suites/store-of.ts'

/** Machines that are lost. */
const losses = Number(process.env['SLUICE_TEST_LOST_MACHINES'] ?? 1)

let store: FakeS3 | undefined
let fleet: Fleet | undefined
afterEach(async () => {
  await fleet?.close()
  await store?.close()
})

test('R26 in an object store: machine and disk lost: nothing lost, nothing twice, committed by another collector', {
  timeout: 120_000 + losses * 60_000,
  retry: 0,
}, async () => {
  const fake = await startFakeS3()
  store = fake
  const at = { endpoint: fake.endpoint, region: 'eu-west-1' }
  const clusters = JSON.stringify([{ path: '/', url: 's3://bucket/lake', ...at, 'path-style': true }])
  const openStore = async () => {
    const objects = await createS3FileSystem({ url: 's3://bucket/lake', ...at, env: testEnv })
    return storeOf(withLogs(createMountTable(objects, []), () => 0))
  }
  // An answer is lost now and then, of whatever is written.
  let writes = 0
  fake.fault = ({ method }) => (method === 'PUT' && ++writes % 50 === 0 ? 'after' : undefined)
  fleet = await createFleet({
    outputDirectory: '/events',
    openStore,
    settings: () => [`clusters=${clusters}`, ...replicatedSettings],
    env: testEnv,
  })
  for (const place of [0, 1]) await fleet.add(place)
  fleet.load()
  for (let lost = 0; lost < losses; lost++) {
    await fleet.acknowledged(100)
    const [machine] = fleet.machines
    if (!machine) throw new Error('no machine runs')
    await machine.lose()
    await fleet.add(0)
    const { seconds } = await fleet.takenOver(machine)
    console.log(`committed by another collector ${seconds.toFixed(1)} s after the takeover began`)
  }
  const { verdict, problems, found } = await fleet.finish()
  console.log(`${fleet.client.acknowledged.size} events acknowledged, ${found} found, ${fake.requests.length} requests`)
  expect({ verdict, problems }).toEqual({ verdict: allIsWell, problems: [] })
})
