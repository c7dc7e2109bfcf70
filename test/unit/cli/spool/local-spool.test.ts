import { expect, test } from 'vitest'
import { withOfflineSpool } from '../../../../admin/cli/spool/local-spool.ts'
import { loadConfig } from '../../../../src/config/config.ts'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { toDestination, writeDestination } from '../../../../src/spool/directory/destination.ts'
import { writeCopyNote } from '../../../../src/spool/replica/copy-note.ts'
import { jsonBatch, testSettings } from '../../../suites/spool.ts'
import { createDirectory, createSegment } from '../spool-dirs.ts'

const createSpool = async (): Promise<string> => {
  const directory = await createDirectory()
  await createSegment(directory, [jsonBatch([{ n: 1 }])])
  return directory
}

test('a command looks for the copy of a spool in HDFS, and changes nothing where no setting leads there', async () => {
  const directory = await createSpool()
  const disk = createNodeDisk({ directory })
  await writeDestination(disk, toDestination(testSettings, 'hdfs://elsewhere:8020', false))
  await writeCopyNote(disk, { directory: '/events/_log/c' })
  const { settings } = loadConfig({
    argv: ['--set', `data.dir=${directory}/data`],
    env: {},
    cwd: directory,
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  })
  const named = { directory: async () => directory, settings: async () => settings }
  const work = withOfflineSpool(named, async () => expect.unreachable('the spool is held'))
  await expect(work).rejects.toThrow(
    /in hdfs:\/\/elsewhere:8020\/events\/_log\/c as well, and no setting names that cluster: nothing was changed/,
  )
})

test('for a spool without a copy no settings are needed', async () => {
  const directory = await createSpool()
  const settings = () => expect.unreachable('settings are read')
  const named = { directory: async () => directory, settings }
  expect(await withOfflineSpool(named, async ({ nextSegment }) => nextSegment)).toBe(2)
})
