/** `deploy/Containerfile` as an image, built as people build it, on a base of Debian's packages and Node's. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { debianRoot } from './debian-root.ts'

/** The npm of the base; a package that has its dependencies in it. */
const npm = 'npm@11.6.2'

export type Image = {
  /** Its files, mounted; a container that is made from it shares them. */
  readonly root: string
  readonly config: ImageConfig
  close(): Promise<void>
}

/** The configuration for container engines. */
export type ImageConfig = {
  readonly User: string
  readonly WorkingDir: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Volumes: Readonly<Record<string, unknown>>
  readonly ExposedPorts: Readonly<Record<string, unknown>>
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly StopSignal: string
  readonly Labels: Readonly<Record<string, string>>
}

const run = async (program: string, args: readonly string[], cwd = '.'): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd, maxBuffer: 64 << 20 })).stdout.trim()

export const buildImage = async (): Promise<Image> => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-image-'))
  const storage = ['--root', join(home, 'root'), '--runroot', join(home, 'run'), '--storage-driver', 'vfs']
  const buildah = (...args: readonly string[]): Promise<string> => run('buildah', [...storage, ...args])
  try {
    await buildBase(home, buildah)
    // If a registry uses a certificate of its own, this machine knows how to reach it; the file does not.
    const registry = await run('npm', ['config', 'get', 'registry'])
    const certificates = '/etc/ssl/certs'
    const npmrc = join(home, 'npmrc')
    writeFileSync(npmrc, `registry=${registry}\ncafile=${certificates}/ca-certificates.crt\nprefer-offline=true\n`)
    const cache = join(homedir(), '.npm')
    mkdirSync(cache, { recursive: true })
    const volumes = [`${certificates}:${certificates}:ro`, `${npmrc}:/root/.npmrc:ro`, `${cache}:/root/.npm`]
    const how = ['--quiet', '--format', 'docker', '--isolation', 'chroot', '--build-arg', 'BASE=localhost/base']
    const mounted = volumes.flatMap(volume => ['--volume', volume])
    await buildah('bud', ...how, ...mounted, '--file', 'deploy/Containerfile', '--tag', 'localhost/sluice', '.')
    const container = await buildah('from', '--pull-never', 'localhost/sluice')
    const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/sluice')) as {
      Docker: { config: ImageConfig }
    }
    return {
      root: await buildah('mount', container),
      config: Docker.config,
      close: () => rm(home, { recursive: true, force: true }),
    }
  } catch (error) {
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

/** An image that is to this build what `node:24-bookworm-slim` is to others. */
const buildBase = async (home: string, buildah: (...args: readonly string[]) => Promise<string>): Promise<void> => {
  const local = join(home, 'node/usr/local')
  const library = join(local, 'lib/node_modules/npm')
  for (const directory of [join(local, 'bin'), library]) mkdirSync(directory, { recursive: true })
  cpSync(realpathSync(process.execPath), join(local, 'bin/node'))
  const packed = await run('npm', ['pack', '--silent', '--prefer-offline', npm], home)
  await run('tar', ['-xzf', join(home, packed), '-C', library, '--strip-components=1'])
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
  const container = await buildah('from', 'scratch')
  await buildah('add', '--quiet', container, await debianRoot(), '/')
  await buildah('add', '--quiet', container, join(home, 'node'), '/')
  await buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container)
  await buildah('commit', '--quiet', container, 'localhost/base')
  await buildah('rm', container)
  await rm(join(home, 'node'), { recursive: true })
}
