import { join } from 'node:path'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { readLedger } from '../../src/spool/ledger/ledger.ts'
import { becomeCalm } from './calm.ts'
import { createDataDisk } from './data-disk.ts'
import { carryOut } from './faults.ts'
import { createGatewayUser } from './gateway-user.ts'
import { judge } from './judge.ts'
import { createSchedule, type Fault, type Format, type Output, type Schedule } from './schedule.ts'
import { createSenders } from './senders.ts'
import { createServer } from './server.ts'
import { readServerLog } from './server-log.ts'
import type { Protocol, Stage } from './stage.ts'
import { addCounts, findDetours, noCounts, readCounts, type StageCounts } from './stage-counts.ts'

/** What one seed has shown. */
export type SeedResult = StageCounts & {
  readonly seed: number
  readonly output: Output
  /** Edge threads of the server. */
  readonly threads: number
  readonly ack: Schedule['ack']
  readonly faults: readonly Fault[]
  readonly protocol: Protocol
  readonly issued: number
  readonly acknowledged: number
  /** Events in the file system. */
  readonly found: number
  /** Files that the gateway has stored, and rows read back from them. */
  readonly stored: number
  readonly rowsRead: number
  /** Warnings and errors that the server printed. */
  readonly warnings: readonly string[]
  /** From the end of the faults until everything held. */
  readonly calmSeconds: number
  /** What of it took longest. */
  readonly slowest: string
  /** From the fresh directory to the verdict. */
  readonly seconds: number
  /** Sentences; empty when all is well. */
  readonly problems: readonly string[]
  /** Where data and log of a failure are. */
  readonly kept: string | undefined
}

export type SeedOptions = {
  readonly loadMs: number
  /** How long everything may take to hold again. */
  readonly calmMs: number
  /** In place of what the seed draws. */
  readonly format?: Format | undefined
  readonly faults?: readonly Fault[]
}

/** Load and faults, calm, and the verdict, all on a fresh spool. */
export const runSeed = async (
  stage: Stage,
  seed: number,
  { loadMs, calmMs, format, ...options }: SeedOptions,
): Promise<SeedResult> => {
  const start = performance.now()
  const { fileSystem } = stage
  const root = `/oracle/${seed}`
  const schedule = createSchedule(seed, {
    isSecure: stage.realm !== undefined,
    isStore: stage.hdfs === undefined,
    format,
  })
  const { output, threads } = schedule
  // The log is in HDFS by HDFS' own protocol only.
  const ack = stage.protocol === 'webhdfs' ? 'fsync' : schedule.ack
  const { faults = schedule.faults } = options
  const disk = await createDataDisk(seed)
  const server = await createServer(stage, disk, { root, output, threads, ack })
  const { client } = server.sluice
  const senders = createSenders({ client, url: server.url, scribePort: server.scribePort })
  const user = createGatewayUser(server.url, `${root}/uploads`)
  const before = readCounts(stage)
  const problems: string[] = []
  let counts = noCounts
  let found = 0
  let calmSeconds = 0
  let slowest = ''
  try {
    await server.startForCertain()
    senders.start()
    user.start()
    await carryOut(faults, { stage, server, disk }, loadMs)
    await Promise.all([senders.stop(), user.stop()])
    const calm = performance.now()
    const end = await becomeCalm({ stage, server, senders, user, calmMs })
    // Who judges reads by way of the data node, too.
    counts = addCounts(readCounts(stage), before, -1)
    problems.push(...end.problems, ...findDetours(stage.protocol, counts))
    slowest = end.slowest
    const spool = await readLedger(createNodeDisk({ directory: join(disk.directory, '.diskpool') }))
    const verdict = await judge({
      store: await stage.openStore(),
      outputDirectory: server.outputDirectory,
      client,
      routeOf: senders.routeOf,
      spool,
      isOrdered: output.format !== 'parquet',
    })
    found = verdict.found
    problems.push(...verdict.problems, ...(await user.check(fileSystem)))
    calmSeconds = (performance.now() - calm) / 1_000
  } catch (error) {
    problems.push(`the run broke off: ${(error as Error).stack}`)
    // A server that is stopped would keep its clients waiting.
    await server.sluice.kill()
    await Promise.all([senders.stop(), user.stop()])
  }
  problems.push(...new Set([...server.oddities, ...senders.oddities, ...user.oddities]))
  await server.close()
  const log = await readServerLog(stage, disk.workDirectory)
  problems.push(...log.problems)
  const isKept = problems.length > 0
  await disk.close(isKept)
  if (!isKept) await fileSystem.delete(root, { recursive: true })
  return {
    seed,
    output,
    threads,
    ack,
    faults,
    protocol: stage.protocol,
    issued: client.issued,
    acknowledged: client.acknowledged.size,
    found,
    stored: user.stored.size,
    rowsRead: user.rowsRead,
    ...counts,
    warnings: log.warnings,
    calmSeconds,
    slowest,
    seconds: (performance.now() - start) / 1_000,
    problems,
    kept: isKept ? disk.workDirectory : undefined,
  }
}
