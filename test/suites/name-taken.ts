import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { createWorld, type World } from './crash-world.ts'

/** Two events in a file whose name another file in the file system has, with one event that was acknowledged too. */
export type NameTakenWorld = {
  readonly world: World
  /** The name of both. */
  readonly name: string
  /** Where the other file is. */
  readonly path: string
}

/** Starts a spool that has set aside a file because of its name. */
export const createNameTaken = async (): Promise<NameTakenWorld> => {
  const world = await createWorld({ settings: { keepCommittedMs: 0 } })
  world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
  await world.append(2, { name: 'A' })
  world.clock.ms += 30_000
  await world.beat()
  world.faults.fileSystem = undefined
  const [name = ''] = world.disk().paths.flatMap(path => /^sealed\/(.*)$/.exec(path)?.[1] ?? [])
  const path = `/events/A/2026/01/02/03/${name}`
  const event = world.client.issue()
  world.client.acknowledge(event)
  await writeFile(world, path, `${JSON.stringify({ eventName: 'A', payload: { n: event } })}\n`)
  world.clock.ms += 3_600_000
  await world.beat()
  return { world, name, path }
}

/** A file that another program puts into the file system. */
export const writeFile = (world: World, path: string, bytes: string | Uint8Array): Promise<void> =>
  world.fileSystem.create(
    path,
    (async function* () {
      yield Buffer.from(bytes)
    })(),
  )
