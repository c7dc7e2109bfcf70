/** `sluice-<version>-linux-<architecture>.tar.gz`: the installed product, to be unpacked anywhere. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Packs a folder whose files have their modes and times already. GNU's tar and gzip give equal bytes for equal files. */
export const makeTarball = (parent: string, folder: string, directory: string): void => {
  const file = join(directory, `${folder}.tar.gz`)
  const nobody = ['--owner=0', '--group=0', '--numeric-owner']
  const args = ['--create', '--format=gnu', '--sort=name', ...nobody, '--use-compress-program=gzip -n9', '--file', file]
  execFileSync('tar', [...args, '--directory', parent, folder], { stdio: ['ignore', 2, 2] })
}
