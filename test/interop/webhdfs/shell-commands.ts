/** What people type after `hdfs dfs`, one command after another in an empty directory. */
import { userInfo } from 'node:os'
import { createAccounts } from '../../../src/filesystem/local/accounts.ts'
import { hostileNames } from './files.ts'

/** Of files of this machine. */
const { username: owner, gid } = userInfo()
const group = createAccounts().nameOf('group', gid)

export type ShellCommand = {
  readonly args: readonly string[]
  readonly stdin?: string
  /** Times are compared, too: they were set. */
  readonly exactTimes?: true
  /** What comes of it on the embedded file system, where that is something else. */
  readonly embedded?: { readonly code?: number; readonly out?: string; readonly err?: string }
}

/** What the shell says of operations that there are not; it says so of Hadoop's own local file system. */
const unsupported = (command: string, operation: string, out = ''): Pick<ShellCommand, 'embedded'> => {
  const exception = `java.lang.UnsupportedOperationException: LocalFileSystem doesn't support ${operation}`
  return { embedded: { code: -1, out, err: `${command}: Fatal internal error\n${exception}\n` } }
}

/**
 * The commands, in the directory `d` of the file system, with the files of `files.ts` in the directory `l` of this
 * machine; what they fetch goes to `l/out/`.
 */
export const shellCommands = (d: string, l: string): readonly ShellCommand[] => [
  ...makes(d, l),
  ...lists(d),
  ...reads(d, l),
  ...moves(d),
  ...counts(d),
  ...changes(d, l),
  ...removes(d),
  ...onHdfsOnly(d),
]

const makes = (d: string, l: string): readonly ShellCommand[] => [
  { args: ['-mkdir', '-p', `${d}/in/deep/er`] },
  { args: ['-mkdir', `${d}/in`] },
  { args: ['-mkdir', `${d}/none/there`] },
  { args: ['-put', `${l}/names`, d] },
  { args: ['-D', 'dfs.blocksize=1048576', '-put', `${l}/big.bin`, `${d}/big.bin`] },
  { args: ['-put', `${l}/zero`, `${l}/one`, `${l}/lines.txt`, `${l}/lines.txt.gz`, `${d}/in`] },
  { args: ['-put', `${l}/two`, `${d}/in/one`] },
  { args: ['-put', '-f', `${l}/two`, `${d}/in/one`] },
  { args: ['-put', '-', `${d}/in/stdin.txt`], stdin: 'through a pipe\n' },
  { args: ['-put', `${l}/none`, `${d}/in`] },
  { args: ['-put', `${l}/one`, `${d}/none/there`] },
  { args: ['-put', `${l}/one`, `${d}/in/one/below`] },
  { args: ['-copyFromLocal', '-t', '4', `${l}/names`, `${d}/threads`] },
  { args: ['-touchz', `${d}/in/empty`] },
  { args: ['-touchz', `${d}/in/one`] },
  { args: ['-touch', `${d}/in/touched`] },
]

const lists = (d: string): readonly ShellCommand[] => [
  { args: ['-ls', '-R', d] },
  { args: ['-ls', d] },
  { args: ['-ls', '-h', '-r', `${d}/in`] },
  { args: ['-ls', '-S', `${d}/in`] },
  { args: ['-ls', '-C', '-d', `${d}/in`] },
  { args: ['-ls', `${d}/in/one`] },
  { args: ['-ls', `${d}/in/deep/er`] },
  { args: ['-ls', `${d}/none`] },
  { args: ['-ls', `${d}/*/o*`] },
  ...hostileNames.map(name => ({ args: ['-ls', `${d}/names/${name}`] })),
  { args: ['-find', d, '-name', '*.txt'] },
  { args: ['-find', `${d}/in`, '-iname', 'ONE', '-print0'] },
  { args: ['-find', `${d}/none`] },
]

const reads = (d: string, l: string): readonly ShellCommand[] => [
  { args: ['-cat', `${d}/in/one`, `${d}/in/zero`, `${d}/in/lines.txt`] },
  { args: ['-cat', d] },
  { args: ['-cat', `${d}/none`] },
  ...hostileNames.map(name => ({ args: ['-cat', `${d}/names/${name}`] })),
  { args: ['-text', `${d}/in/lines.txt.gz`] },
  { args: ['-head', `${d}/in/lines.txt`] },
  { args: ['-head', `${d}/in/one`] },
  { args: ['-tail', `${d}/in/lines.txt`] },
  { args: ['-tail', `${d}/in/one`] },
  { args: ['-get', `${d}/big.bin`, `${l}/out/big.bin`] },
  { args: ['-get', `${d}/names`, `${l}/out`] },
  { args: ['-get', `${d}/in/zero`, `${l}/out/zero`] },
  { args: ['-get', `${d}/none`, `${l}/out/none`] },
  { args: ['-getmerge', '-nl', `${d}/in/one`, `${d}/in/lines.txt`, `${l}/out/merged`] },
]

const moves = (d: string): readonly ShellCommand[] => [
  { args: ['-cp', `${d}/in/one`, `${d}/in/copy`] },
  { args: ['-cp', `${d}/in/lines.txt`, `${d}/in/copy`] },
  { args: ['-cp', '-f', `${d}/in/lines.txt`, `${d}/in/copy`] },
  { args: ['-cp', '-ptp', `${d}/in/lines.txt`, `${d}/in/preserved`] },
  { args: ['-cp', '-p', `${d}/in/lines.txt`, `${d}/in/owned`] },
  { args: ['-cp', `${d}/names`, `${d}/names2`] },
  { args: ['-cp', `${d}/none`, `${d}/x`] },
  { args: ['-mv', `${d}/in/copy`, `${d}/in/moved`] },
  { args: ['-mv', `${d}/in/moved`, `${d}/in/one`] },
  { args: ['-mv', `${d}/names2`, `${d}/in/deep`] },
  { args: ['-mv', `${d}/none`, `${d}/x`] },
  { args: ['-mv', `${d}/in/moved`, `${d}/none/there`] },
  { args: ['-mv', `${d}/in`, `${d}/in/deep`] },
  ...hostileNames.flatMap(name => [
    { args: ['-mv', `${d}/threads/${name}`, `${d}/threads/moved-${name}`] },
    { args: ['-mv', `${d}/threads/moved-${name}`, `${d}/threads/${name}`] },
  ]),
]

const counts = (d: string): readonly ShellCommand[] => [
  { args: ['-du', d] },
  { args: ['-du', '-s', '-v', d] },
  { args: ['-du', '-h', `${d}/in`] },
  { args: ['-du', `${d}/none`] },
  { args: ['-count', d] },
  { args: ['-count', '-v', '-q', '-h', `${d}/in`] },
  { args: ['-count', `${d}/in/one`, `${d}/none`] },
  { args: ['-stat', '%F %n %b %a %A', `${d}/in/one`, `${d}/in`, d] },
  { args: ['-stat', '%o %r', `${d}/big.bin`], embedded: { out: '33554432 1\n' } },
  { args: ['-stat', '%u %g', d], embedded: { out: `${owner} ${group}\n` } },
  { args: ['-stat', '%x %y', `${d}/in/one`] },
  { args: ['-stat', '%n', `${d}/none`] },
  { args: ['-df', d] },
  {
    args: ['-checksum', `${d}/big.bin`, `${d}/in/one`, `${d}/in/zero`],
    embedded: { code: 1, out: '', err: "checksum: LocalFileSystem doesn't support getFileChecksum\n".repeat(3) },
  },
  ...['-e', '-d', '-f', '-z', '-s', '-r', '-w'].flatMap(flag =>
    ['', '/in/one', '/in/zero', '/none'].map(path => ({ args: ['-test', flag, `${d}${path}`] })),
  ),
]

const changes = (d: string, l: string): readonly ShellCommand[] => [
  { args: ['-touch', '-t', '20200102:030405', `${d}/in/one`] },
  { args: ['-touch', '-a', '-t', '20210102:030405', `${d}/in/one`] },
  { args: ['-stat', '%x %y', `${d}/in/one`], exactTimes: true },
  { args: ['-touch', '-m', '-t', '20220102:030405', `${d}/in/deep`] },
  { args: ['-ls', '-t', `${d}/in/one`], exactTimes: true },
  { args: ['-touch', '-c', `${d}/none`] },
  { args: ['-chmod', '640', `${d}/in/one`] },
  { args: ['-chmod', '-R', 'u+rwX,g-w,o-rwx', `${d}/names`] },
  { args: ['-chmod', '1777', `${d}/in/deep`] },
  { args: ['-chmod', '755', `${d}/none`] },
  { args: ['-ls', '-R', d] },
  { args: ['-chmod', '-R', '755', `${d}/names`] },
  {
    args: ['-chown', 'bob:staff', `${d}/in/one`],
    embedded: {
      code: 1,
      out: '',
      err: `chown: changing ownership of '${d}/in/one': Cannot set owner of "${d}/in/one": this machine has no user "bob"\n`,
    },
  },
  { args: ['-chgrp', '-R', 'staff', `${d}/in/deep`] },
  { args: ['-setrep', '2', `${d}/in/one`] },
  { args: ['-put', '-p', `${l}/lines.txt`, `${d}/in/owned2`] },
  { args: ['-appendToFile', `${l}/one`, `${l}/lines.txt`, `${d}/in/zero`] },
  { args: ['-appendToFile', '-', `${d}/in/zero`], stdin: 'at the end\n' },
  { args: ['-appendToFile', `${l}/one`, `${d}/in/made`] },
  { args: ['-appendToFile', `${l}/one`, `${d}/in`] },
  { args: ['-cat', `${d}/in/zero`, `${d}/in/made`] },
  { args: ['-appendToFile', `${l}/big.bin`, `${d}/big.bin`] },
  { args: ['-get', `${d}/big.bin`, `${l}/out/twice.bin`] },
]

const trash = ['-D', 'fs.trash.interval=60']

const removes = (d: string): readonly ShellCommand[] => [
  { args: [...trash, '-rm', `${d}/in/moved`] },
  { args: [...trash, '-rm', '-r', `${d}/in/deep`] },
  { args: ['-ls', '-R', '.Trash/Current'] },
  { args: [...trash, '-expunge'] },
  { args: ['-ls', '-R', '.Trash'] },
  { args: [...trash, '-expunge', '-immediate'] },
  { args: ['-rm', `${d}/in`] },
  { args: ['-rm', `${d}/none`] },
  { args: ['-rm', '-f', `${d}/none`] },
  { args: ['-rmdir', `${d}/in`] },
  { args: ['-mkdir', `${d}/away`] },
  { args: ['-rmdir', `${d}/away`] },
  ...hostileNames.map(name => ({ args: ['-rm', '-skipTrash', `${d}/threads/${name}`] })),
  { args: ['-ls', '-R', d] },
]

/** What only HDFS has. */
const onHdfsOnly = (d: string): readonly ShellCommand[] => [
  attribute('-setfattr', 'SETXATTR', '-n', 'user.colour', '-v', 'blue', `${d}/in/one`),
  attribute('-getfattr', 'GETXATTRS', '-d', `${d}/in/one`),
  attribute('-getfattr', 'GETXATTRS', '-n', 'user.colour', `${d}/in/one`),
  attribute('-setfattr', 'REMOVEXATTR', '-x', 'user.colour', `${d}/in/one`),
  { args: ['-setfacl', '-m', 'user:bob:r--', `${d}/in/one`], ...unsupported('-setfacl', 'MODIFYACLENTRIES') },
  { args: ['-getfacl', `${d}/in/one`], embedded: { out: acl(`${d}/in/one`) } },
  { args: ['-setfacl', '-b', `${d}/in/one`], ...unsupported('-setfacl', 'REMOVEACL') },
  { args: ['-createSnapshot', d, 's1'], ...unsupported('-createSnapshot', 'CREATESNAPSHOT') },
  {
    args: ['-ls', `${d}/.snapshot/s1/in`],
    embedded: { code: 1, out: '', err: `ls: \`${d}/.snapshot/s1/in': No such file or directory\n` },
  },
  { args: ['-renameSnapshot', d, 's1', 's2'], ...unsupported('-renameSnapshot', 'RENAMESNAPSHOT') },
  { args: ['-deleteSnapshot', d, 's2'], ...unsupported('-deleteSnapshot', 'DELETESNAPSHOT') },
  {
    args: ['-concat', `${d}/in/made`, `${d}/in/stdin.txt`, `${d}/in/preserved`],
    embedded: {
      code: 1,
      err: "concat: `Dest filesystem 'webhdfs' doesn't support concat.': Input/output error: LocalFileSystem doesn't support CONCAT\n",
    },
  },
  { args: ['-cat', `${d}/in/made`], embedded: { out: 'x' } },
  {
    args: ['-truncate', '2', `${d}/in/lines.txt`],
    // Nothing has to be waited for there.
    embedded: { out: `Truncated ${d}/in/lines.txt to length: 2\n` },
  },
]

const attribute = (command: string, operation: string, ...args: readonly string[]): ShellCommand => ({
  args: [command, ...args],
  ...unsupported(command, operation, command === '-getfattr' ? `# file: ${args.at(-1)}\n` : ''),
})

const acl = (path: string): string =>
  `# file: ${path}\n# owner: ${owner}\n# group: ${group}\nuser::rw-\ngroup::r--\nother::---\n\n`
