import { randomUUID } from 'node:crypto'
import type { Settings } from '../../../src/config/table.ts'
import { appendsOf } from '../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { type DoctorCheck, fail, ok, toCheckReason, warn, within } from './check.ts'

type ReplicatedSettings = Pick<
  Settings,
  | 'collector.ack'
  | 'collector.event-output-directory'
  | 'collector.replicated.sync'
  | 'collector.replicated.replication'
  | 'collector.replicated.min'
>

/** What `collector.ack: replicated` needs: a small file that stays open is synced, and enough DataNodes have it. */
export const checkReplicated = async (
  fileSystem: FileSystem,
  settings: ReplicatedSettings,
): Promise<readonly DoctorCheck[]> => {
  if (settings['collector.ack'] !== 'replicated') return []
  const { 'collector.replicated.min': min, 'collector.replicated.replication': wanted } = settings
  const name = 'log in HDFS'
  try {
    const copies = await within(countCopies(fileSystem, settings), 20_000)
    const message = `${copies} of ${wanted} DataNodes have a synced file`
    if (copies < min) {
      const advice = `Without ${min} no event is acknowledged (collector.replicated.min): start DataNodes, or lower it.`
      return [fail(name, message, advice)]
    }
    return [copies < wanted ? warn(name, message, 'Start the missing DataNodes.') : ok(name, message)]
  } catch (error) {
    return [fail(name, toCheckReason(error), "collector.ack replicated needs HDFS' own protocol, to every DataNode.")]
  }
}

const countCopies = async (fileSystem: FileSystem, settings: ReplicatedSettings): Promise<number> => {
  const { 'collector.replicated.sync': sync, 'collector.replicated.replication': replication } = settings
  const own = `${settings['collector.event-output-directory'].replace(/\/+$/, '')}/_tmp/doctor-${randomUUID()}`
  const file = await appendsOf(fileSystem).create(`${own}/log`, { replication })
  try {
    await file.write(new TextEncoder().encode('sluice doctor'))
    await file[sync]()
    const { copies } = file
    await file.close()
    return copies
  } finally {
    await file.abandon()
    await fileSystem.delete(own, { recursive: true })
  }
}
