/** Machines that are lost with their disks, each at the same moment as a DataNode, while three collectors share a directory. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { fleetCluster, startThree } from '../fleet/cluster.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Machine } from '../fleet/machine.ts'
import { openPatientStore } from '../fleet/patient-store.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { seededRandom } from '../suites/crash-world.ts'
import { describePart } from '../suites/describe-part.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'

/** Machines that are lost; a release run takes 500. */
const losses = Number(process.env['SLUICE_TEST_LOST_MACHINES'] ?? 8)
const seed = Number(process.env['SLUICE_TEST_LOST_MACHINES_SEED'] ?? Date.now() % 1_000_000)
/** Of each collector, between two losses. */
const eventsBetween = 100
/** Directories with three collectors each that lose machines at the same time: most of the time is waiting. */
const fleetsOfLongRun = 3
/** How fast it is depends on the machine: a run that was asked for has it for itself. */
const isTimed = process.env['SLUICE_TEST_LOST_MACHINES'] !== undefined
/** From the moment in which a log has another owner. */
const longestTakeoverSeconds = 30

const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

describePart('hdfs', missing, 'three collectors and three DataNodes', () => {
  let cluster: Cluster
  let fleets: Fleet[] = []
  beforeAll(async () => {
    cluster = await startCluster(fleetCluster)
  })
  afterEach(async () => {
    await Promise.all(fleets.map(fleet => fleet.close()))
    fleets = []
  })
  afterAll(() => cluster?.stop())

  test('R26: machine, disk and a DataNode lost at the same moment: nothing lost, nothing twice, committed by another collector', {
    timeout: 300_000 + losses * 60_000,
  }, async () => {
    console.log(`lost machines: SLUICE_TEST_LOST_MACHINES_SEED=${seed} chooses the same ones`)
    const random = seededRandom(seed)
    // The name node may still send readers to a node that is gone.
    const store = await openHdfsStore(cluster.webhdfsUrl)
    const openStore = async () => openPatientStore([async () => store])
    const count = losses > 50 ? fleetsOfLongRun : 1
    for (let number = 1; number <= count; number++) {
      const fleet = await startThree({ cluster, outputDirectory: `/lost-${number}`, openStore })
      fleets.push(fleet)
      fleet.load()
    }
    const seconds: number[] = []
    let returning: Promise<void> = Promise.resolve()
    while (seconds.length < losses) {
      await Promise.all([...fleets.map(fleet => fleet.acknowledged(eventsBetween)), returning])
      const node = Math.floor(random() * cluster.dataNodes.length)
      const stopping = cluster.stopDataNode(node)
      const lost = await Promise.all(fleets.map(fleet => loseSome(fleet, stopping, random)))
      seconds.push(...lost.flat())
      returning = cluster.startDataNode(node)
      console.log(`lost machines: ${seconds.length}, ${Math.max(...seconds).toFixed(1)} s at most`)
    }
    await returning
    const ends = await Promise.all(fleets.map(fleet => fleet.finish()))
    for (const { verdict, problems } of ends)
      expect({ verdict, problems }, `seed ${seed}`).toEqual({ verdict: allIsWell, problems: [] })
    const slowest = Math.max(...seconds)
    if (isTimed) expect(slowest, `seed ${seed}`).toBeLessThan(longestTakeoverSeconds)
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
    const acknowledged = sum(fleets.map(({ client }) => client.acknowledged.size))
    const issued = sum(fleets.map(({ client }) => client.issued))
    const found = sum(ends.map(end => end.found))
    const files = sum(ends.map(end => end.files))
    console.log(
      `lost machines: ${seconds.length}, and a DataNode with each; ${acknowledged} of ${issued} events acknowledged, ${found} in ${files} files, none lost, none twice; committed by another collector ${slowest.toFixed(1)} s after the takeover began, at most`,
    )
  })
})

/** One machine or two, and a DataNode with them; new machines take their places at once. @returns how long each takeover took */
const loseSome = async (
  fleet: Fleet,
  dataNodeStopped: Promise<void>,
  random: () => number,
): Promise<readonly number[]> => {
  const spared = Math.floor(random() * 3)
  const places = [0, 1, 2].filter(place => place !== spared).slice(random() < 0.7 ? 0 : 1)
  const lost = places.flatMap(place => fleet.machines[place] ?? [])
  await Promise.all([dataNodeStopped, ...lost.map(machine => machine.lose())])
  const adding: Promise<readonly Machine[]> = Promise.all(places.map(place => fleet.add(place)))
  const takeovers = await Promise.all(lost.map(machine => fleet.takenOver(machine)))
  await adding
  return takeovers.map(({ seconds }) => seconds)
}
