import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, localCommand } from '../command/command.ts'
import { usageError } from '../command/failure.ts'
import { readSettings } from '../command/settings.ts'
import { style } from '../print/style.ts'
import { toHadoopToken } from '../tokens/hadoop-token.ts'
import { addToken, listTokens, tokenRoles } from '../tokens/tokens.ts'

export const commands = {
  'token:create': localCommand({
    summary: 'Make a bearer token and add its hash to the token file.',
    description:
      'The token is shown this once; only its SHA-256 is stored. A running server reads the file again by itself. Without --file the setting auth.tokens names it; without either, the line for the file is shown.',
    examples: [
      'sluice token create alice --role view --role operate --file tokens',
      'sluice token create beacons --role send',
      'sluice token create ci --role read --json',
    ],
    args: { name: Args.string({ required: true, description: 'who holds it; shown in the audit log' }) },
    flags: {
      role: Flags.option({
        char: 'r',
        helpValue: 'ROLE',
        summary: 'what it is for; may be repeated',
        multiple: true,
        required: true,
        options: tokenRoles,
      })(),
      file: Flags.string({ char: 'f', summary: 'the token file', helpValue: 'FILE' }),
      config: Flags.string({ summary: 'settings file', helpValue: 'FILE' }),
    },
    run: async ({ args, flags, log, logToStderr }) => {
      const file = flags.file ?? (await readSettings(flags)).settings['auth.tokens']
      const created = await addToken(args.name, flags.role, file)
      log(style('bold', created.token))
      logToStderr(
        created.file === null
          ? `Add this line to the file that auth.tokens names:\n${created.line}`
          : `It is not shown again. Its hash is in ${created.file}.`,
      )
      return created
    },
  }),

  'token:list': localCommand({
    listsRows: true,
    summary: 'Tokens and rules, with their roles.',
    description:
      'Tokens by their names and rules by their patterns, from the token file; it holds hashes, and no token can be shown. Without --file the setting auth.tokens names it.',
    examples: ['sluice token list', 'sluice token list --file tokens --output csv'],
    flags: {
      file: Flags.string({ char: 'f', summary: 'the token file', helpValue: 'FILE' }),
      config: Flags.string({ summary: 'settings file', helpValue: 'FILE' }),
    },
    run: async ({ flags, log, table }) => {
      const file = flags.file ?? (await readSettings(flags)).settings['auth.tokens']
      if (file === undefined)
        throw usageError('No token file: the setting auth.tokens is not set', 'Name one with --file.')
      const tokens = await listTokens(file)
      if (tokens.length === 0) log(`${file} has no tokens.`)
      else
        table(tokens, [
          { title: 'KIND', cell: row => row.kind },
          { title: 'NAME', cell: row => row.name, flexible: true },
          { title: 'ROLES', cell: row => row.roles.join(', ') },
        ])
      return { file, tokens }
    },
  }),

  'token:hadoop': gatewayCommand({
    summary: 'Write a token as clients of Hadoop take it.',
    description:
      'They send it to the gateway alone, in place of their own delegation token. The token is that of SLUICE_TOKEN, --token-file or --profile; it is wrapped, not hidden.',
    examples: [
      'sluice token hadoop --server-url http://gateway:8080 --token-file ~/.sluice-token',
      'HADOOP_TOKEN=$(sluice token hadoop --profile production) hdfs dfs -ls webhdfs://gateway:8080/',
    ],
    run: async ({ address, log }) => {
      const wrapped = await toHadoopToken(await address())
      log(wrapped.token)
      return wrapped
    },
  }),
}
