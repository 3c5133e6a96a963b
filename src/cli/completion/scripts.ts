import type { Place } from './places';

type Option = Place['options'][number];

const lines = <T>(items: T[], line: (item: T) => string): string => items.map(line).join('\n');
const flagsOf = ({ short, long }: Option): string[] => (short === undefined ? [long] : [short, long]);
const wordsOf = ({ commands, argument }: Place): string[] => [
  ...commands.map(({ name }) => name),
  ...(Array.isArray(argument) ? argument : []),
];

/** Where a command begins: it is followed from word to word, so that an option's value is no command. */
const paths = (places: Place[]): string[] => places.flatMap(({ at }) => (at === '' ? [] : [`'${at}'`]));

/** The options of a place that take a value, each as what a shell compares, and the value. */
const valued = ({ at, options }: Place) =>
  options.flatMap((option) =>
    option.value === 'none' ? [] : [{ is: flagsOf(option).map((flag) => `'${at} ${flag}'`), value: option.value }],
  );

const bash = (name: string, places: Place[]): string => `# Completes ${name} in bash.
_${name}_completion() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= word words= flags= files=
  # Bash takes --option=value apart.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${paths(places).join('|')}) at+=" $word" ;; esac
  done
  case "$at $previous" in
${lines(places.flatMap(valued), ({ is, value }) => {
  if (Array.isArray(value)) return `    ${is.join('|')}) words='${value.join(' ')}' ;;`;
  return `    ${is.join('|')}) ${value === 'file' ? 'files=1' : ':'} ;;`;
})}
    *) case "$at" in
${lines(places, (place) => {
  const files = place.argument === 'file' ? ' files=1' : '';
  return `      '${place.at}') words='${wordsOf(place).join(' ')}' flags='${place.options.flatMap(flagsOf).join(' ')}'${files} ;;`;
})}
    esac ;;
  esac
  if [[ $current == -* || -z $words$files ]]; then words+=" $flags"; elif [[ -n $files ]]; then compopt -o default 2>/dev/null; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _${name}_completion ${name}
`;

const zsh = (name: string, places: Place[]): string => `# Completes ${name} in zsh, after compinit.
_${name}_completion() {
  local at= word previous=\${words[CURRENT-1]}
  local -a members flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in (${paths(places).join('|')}) at+=" $word" ;; esac
  done
  case "$at $previous" in
${lines(places.flatMap(valued), ({ is, value }) => {
  const act = Array.isArray(value) ? `compadd -- ${value.join(' ')}` : value === 'file' ? '_files' : '_message value';
  return `    (${is.join('|')}) ${act}; return ;;`;
})}
  esac
  case "$at" in
${lines(places, ({ at, commands, argument, options }) => {
  const members = commands.map((each) => quoted(`${each.name}:${each.description}`)).join(' ');
  const flags = options.flatMap((each) => flagsOf(each).map((flag) => quoted(`${flag}:${each.description}`))).join(' ');
  const act = Array.isArray(argument) ? `; compadd -- ${argument.join(' ')}` : argument === 'file' ? '; _files' : '';
  return `    ('${at}') members=(${members}) flags=(${flags})${act} ;;`;
})}
  esac
  _describe command members
  _describe -o option flags
}
compdef _${name}_completion ${name}
`;

const fish = (name: string, places: Place[]): string => `# Completes ${name} in fish.
function __${name}_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at $word"
            case ${paths(places).join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c ${name} -f
${lines(places, ({ at, commands, argument, options }) => {
  const rule = `complete -c ${name} -n ${fishQuoted(`__${name}_at '${at}'`)}`;
  const members = commands.map((each) => `${rule} -a ${each.name} -d ${fishQuoted(each.description)}`);
  const flags = options.map(({ short, long, description, value }) => {
    const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)} -d ${fishQuoted(description)}`;
    if (Array.isArray(value)) return `${rule} ${names} -x -a '${value.join(' ')}'`;
    return `${rule} ${names}${{ none: '', any: ' -x', file: ' -r -F' }[value]}`;
  });
  const values = Array.isArray(argument)
    ? [`${rule} -a '${argument.join(' ')}'`]
    : argument === 'file'
      ? [`${rule} -F`]
      : [];
  return [...members, ...flags, ...values].join('\n');
})}
`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

export const SCRIPTS = { bash, zsh, fish };
