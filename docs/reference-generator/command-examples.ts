/** Command lines with an explanation, by the command that they show. */
export const EXAMPLES: Readonly<Record<string, readonly (readonly [line: string, meaning: string])[]>> = {
  init: [
    ['reelform init my-videos', 'asks where to render and which CI you use'],
    ['reelform init my-videos --yes --ci gitlab', 'asks nothing and writes jobs for GitLab'],
  ],
  plan: [
    ['reelform plan', 'shows what apply would do'],
    ['reelform plan --target "launch/*" --verbose', 'plans some videos and shows every change in full'],
    ['reelform plan --preview stills --report review', 'writes a page with stills before and after'],
    ['reelform plan --out plan.json', 'saves the plan for `reelform apply plan.json`'],
  ],
  apply: [
    ['reelform apply', 'plans, asks, renders and records'],
    ['reelform apply plan.json', 'executes a saved plan'],
    ['reelform apply --auto-approve --commit=push', 'renders in CI and commits the lockfile'],
  ],
  mcp: [['reelform mcp', 'serves the repository to an MCP client, which starts this command']],
  list: [['reelform list', 'lists all videos with their state']],
  prune: [
    ['reelform prune', 'lists files in renders/ and caches that nothing uses any more'],
    ['reelform prune --yes --older-than 7d', 'removes them, with previews and segments of a week ago'],
  ],
  drift: [['reelform drift --json', 'checks every rendered video and template']],
  explain: [['reelform explain launch/dune', 'shows which value, file or template would cause a render']],
  preview: [
    ['reelform preview --open', 'opens the page in the browser'],
    ['reelform preview --build site', 'writes a gallery for a web server'],
  ],
  render: [
    ['reelform render launch/dune --draft', 'renders a small video to look at'],
    ['reelform render videos/hello.yaml --frame 1.5s', 'writes one frame as PNG'],
    ['reelform render launch/dune --format lottie', 'writes the video as a Lottie document for web pages and apps'],
  ],
  'comment github': [['reelform comment github --plan plan.json', 'writes or updates the comment of a pull request']],
  'comment gitlab': [
    ['reelform comment gitlab --plan plan.json', 'writes or updates the note of a merge request'],
    [
      'reelform comment gitlab --open-merge-requests --plan .reelform/gitlab/plan/plan.json',
      'finds the plans of all open merge requests, in a scheduled job',
    ],
  ],
  resolve: [
    ['reelform resolve', 'lists renders whose result is unknown'],
    ['reelform resolve launch/dune --session rs_81f2c0', 'records the session that the service created'],
  ],
  show: [
    ['reelform show launch/dune', 'prints one entry of the lockfile'],
    ['reelform show plan.json --format html > plan.html', 'prints a saved plan as a page'],
  ],
  output: [['reelform output --json', 'prints the URL of every video']],
  mv: [['reelform mv launch/dune launch/desert', 'changes an id without rendering']],
  rm: [['reelform rm launch/dune', 'removes the entry from the lockfile; the video file stays']],
  import: [['reelform import launch/dune --session rs_81f2c0', 'records a video that the service has rendered']],
  'lock merge': [
    ['reelform lock merge --install', 'configures git to merge lockfiles entry by entry'],
    ['reelform lock merge', 'resolves conflict markers in the lockfile'],
  ],
  'lock verify': [['reelform lock verify', 'compares local files with the recorded sizes and digests']],
  'lock service': [
    [
      'reelform lock service https://old.example.com https://new.example.com',
      'keeps the renderings of a service that has a new address',
    ],
  ],
  'lock migrate': [['reelform lock migrate', 'rewrites the lockfile in the current form']],
  validate: [['reelform validate --json', 'prints all problems as JSON']],
  lint: [['reelform lint "launch/*"', 'draws videos and reports problems that a viewer would notice']],
  speak: [
    ['reelform speak', 'speaks what has not been spoken yet'],
    ['reelform speak --check', 'exits with 2 if speech is missing, and makes nothing'],
    ['reelform speak --prune --yes', 'removes speech that no definition needs'],
  ],
  pull: [['reelform pull --check', 'exits with 2 if a committed schema is out of date']],
  'locales extract': [
    ['reelform locales extract', 'writes new and changed texts into locales/'],
    ['reelform locales extract --check', 'exits with 2 in CI if a catalogue is out of date'],
  ],
  'locales status': [['reelform locales status', 'shows what translators still have to do']],
  'locales import': [['reelform locales import ~/Downloads/olune.de.xlf', 'takes the German texts of an agency']],
  fmt: [['reelform fmt --check', 'exits with 2 if a file is not formatted']],
  cache: [['reelform cache', 'prints the size and use of the segment cache']],
  'captions fix': [
    ['reelform captions fix', 'shows the times of captions that rules would move'],
    ['reelform captions fix spring --yes', 'moves those of the video spring'],
  ],
  'cache prune': [['reelform cache prune', 'removes the least recently used segments beyond the size limit']],
  'cache verify': [['reelform cache verify', 'checks the digest of every segment']],
  doctor: [['reelform doctor', 'checks this machine, the repository, git and the service']],
  'template add': [
    ['reelform template add promo.json', 'adds an animation as a template with a first video'],
    ['reelform template add https://example.com/mark.json --text bottom', 'adds a headline and a caption below it'],
    ['reelform template add promo.lottie --font "Inter-Bold=npm:@fontsource/inter"', 'takes a missing font from npm'],
  ],
  'template look': [['reelform template look promo', 'writes renders/looks/promo.look.png and a page']],
  'template init': [['reelform template init promo.json', 'creates templates/promo from a Lottie animation']],
  'template check': [['reelform template check templates/promo --strict', 'fails for warnings, too']],
  'template pack': [['reelform template pack templates/promo', 'writes promo.lottie']],
  'template push': [['reelform template push launch', 'uploads a template to the service']],
  completion: [
    ['eval "$(reelform completion bash)"', 'in ~/.bashrc'],
    ['reelform completion zsh > ~/.zfunc/_reelform', 'once, with ~/.zfunc in fpath'],
    ['reelform completion fish > ~/.config/fish/completions/reelform.fish', 'once'],
  ],
  serve: [['reelform serve --port 8080 --data /var/lib/reelform', 'runs the rendering service']],
  worker: [['reelform worker --concurrency 4', 'renders for a service that shares its database and storage']],
  'token create': [
    [
      'reelform token create --tenant acme --scope render_session:read --expires 90',
      'creates a token that can only read',
    ],
  ],
  'token list': [['reelform token list', 'lists all tokens without their secrets']],
  'token revoke': [['reelform token revoke tok_Xq3vT0kZ81hY', 'revokes a token immediately']],
};
