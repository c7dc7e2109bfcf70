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
const losses = Number(process.env['SLUICE_TEST_LOST_MACHINES'] ?? 4)
const seed = Number(process.env['SLUICE_TEST_LOST_MACHINES_SEED'] ?? Date.now() % 1_000_000)
/** Of each collector, between two losses. */
const eventsBetween = 100
/** Directories with three collectors each that lose machines at the same time: most of the time is waiting. */
const fleetsOfLongRun = 4
/** Above it several directories share the machine: it is not fast, and their clients send less, for fewer and larger files. */
const mostTimed = 50
const paceOfLongRun = { restMs: 150, settings: () => ['collector.diskspool.flush-interval-seconds=5'] }
/** Losses from one verdict to the next: what a long run has found is known when it is stopped. */
const lossesOfRound = 50
/** How fast it is depends on the machine: a run that was asked for has it for itself. */
const isTimed = process.env['SLUICE_TEST_LOST_MACHINES'] !== undefined && losses <= mostTimed
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
    // An event that is lost by chance is lost: no second attempt.
    retry: 0,
  }, async () => {
    console.log(`lost machines: SLUICE_TEST_LOST_MACHINES_SEED=${seed} chooses the same ones`)
    const random = seededRandom(seed)
    const count = losses > mostTimed ? fleetsOfLongRun : 1
    let lost = 0
    for (let round = 1; lost < losses; round++) {
      const directories = Array.from({ length: count }, (_, number) => `/lost-${round}-${number}`)
      const seconds = await runRound(directories, Math.min(lossesOfRound, losses - lost), random)
      lost += seconds.length
      if (isTimed) expect(Math.max(...seconds), `seed ${seed}`).toBeLessThan(longestTakeoverSeconds)
    }
  })

  /** Loses machines of all directories, and compares. @returns how long each takeover took */
  const runRound = async (
    directories: readonly string[],
    atLeast: number,
    random: () => number,
  ): Promise<readonly number[]> => {
    // The name node may still send readers to a node that is gone.
    const store = await openHdfsStore(cluster.webhdfsUrl)
    const openStore = async () => openPatientStore([async () => store])
    for (const outputDirectory of directories) {
      const pace = directories.length > 1 ? paceOfLongRun : {}
      const fleet = await startThree({ cluster, outputDirectory, openStore, ...pace })
      fleets.push(fleet)
      fleet.load()
    }
    const seconds: number[] = []
    let returning: Promise<void> = Promise.resolve()
    while (seconds.length < atLeast) {
      await Promise.all([...fleets.map(fleet => fleet.acknowledged(eventsBetween)), returning])
      const node = Math.floor(random() * cluster.dataNodes.length)
      const stopping = cluster.stopDataNode(node)
      const lost = await Promise.all(fleets.map(fleet => loseSome(fleet, stopping, random)))
      seconds.push(...lost.flat())
      returning = cluster.startDataNode(node)
    }
    await returning
    const ends = await Promise.all(fleets.map(fleet => fleet.finish()))
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
    const acknowledged = sum(fleets.map(({ client }) => client.acknowledged.size))
    const issued = sum(fleets.map(({ client }) => client.issued))
    const found = sum(ends.map(end => end.found))
    const files = sum(ends.map(end => end.files))
    console.log(
      `lost machines: ${seconds.length}, and a DataNode with each; ${acknowledged} of ${issued} events acknowledged, ${found} in ${files} files; committed by another collector ${Math.max(...seconds).toFixed(1)} s after the takeover began, at most; ${sum(ends.map(end => end.verdict.lost.length))} lost, ${sum(ends.map(end => end.verdict.twice.length))} twice`,
    )
    for (const { verdict, problems } of ends)
      expect({ verdict, problems }, `seed ${seed}`).toEqual({ verdict: allIsWell, problems: [] })
    await Promise.all(fleets.splice(0).map(fleet => fleet.close()))
    return seconds
  }
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
