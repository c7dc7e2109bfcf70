import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fetchHadoop, hadoopVersion, hdfsHome, missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { missingForSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { describeUnless } from '../suites/kerberos.ts'

const missing = (await missingForSecureCluster()) ?? (await missingForHdfs())

describeUnless(missing, 'npm run hdfs', () => {
  /** Its state is there, so that one of the developer's own may run meanwhile. */
  const home = mkdtempSync(join(tmpdir(), 'sluice-hdfs-home-'))
  const directory = join(home, 'files')
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/hdfs/hdfs.ts', ...args], {
      encoding: 'utf8',
      env: { ...process.env, SLUICE_HDFS_HOME: home },
    })
  afterAll(() => {
    run('stop')
    rmSync(home, { recursive: true, force: true })
  })

  test('start --kerberos starts KDC and cluster, says how to use them, and stop ends all', async () => {
    const library = await fetchHadoop({ home: hdfsHome(), version: hadoopVersion(), log: () => {} })
    mkdirSync(directory, { recursive: true })
    symlinkSync(library, join(home, `hadoop-${hadoopVersion()}`))
    const started = run('start', '--kerberos', '--dir', directory)
    expect(started).toMatchObject({ status: 0, stderr: '' })
    expect(run('status')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^HDFS is running \(processes \d+, \d+, \d+\)/),
    })
    expect(run('start')).toMatchObject({ status: 1, stderr: expect.stringContaining('is running already') })

    // What it says for people to type does what it says.
    const lines = started.stdout.split('\n').filter(line => /^ {2}(?!npm )/.test(line))
    const typed = spawnSync('sh', ['-ec', lines.join('\n')], { encoding: 'utf8', env: { PATH: process.env['PATH'] } })
    expect(JSON.parse(typed.stdout)).toEqual({ FileStatuses: { FileStatus: [] } })

    expect(run('stop')).toMatchObject({ status: 0, stdout: 'HDFS is stopped\n' })
    expect(run('status')).toMatchObject({ status: 1, stdout: 'HDFS is not running\n' })
    const { stdout } = spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
    expect(stdout).not.toContain(directory)
  })
})
