/** `sluice-<version>-linux-<architecture>.tar.gz`: the installed product, to be unpacked anywhere. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export type TarballOptions = {
  readonly parent: string
  /** In `parent`; its files have their modes and times already. */
  readonly folder: string
  /** Where the tarball goes. */
  readonly directory: string
  /** How hard it is packed: 1 to 9. */
  readonly level: number
}

/** Packs a folder. GNU's tar and gzip give equal bytes for equal files. */
export const makeTarball = ({ parent, folder, directory, level }: TarballOptions): void => {
  const file = join(directory, `${folder}.tar.gz`)
  const nobody = ['--owner=0', '--group=0', '--numeric-owner']
  const args = [
    '--create',
    '--format=gnu',
    '--sort=name',
    ...nobody,
    `--use-compress-program=gzip -n${level}`,
    '--file',
    file,
  ]
  execFileSync('tar', [...args, '--directory', parent, folder], { stdio: ['ignore', 2, 2] })
}
