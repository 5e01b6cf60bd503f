import type { SessionCode } from '../../src/contract/service-error.ts';
import type { Code } from '../../src/kernel/diagnostic.ts';

type Group = readonly [title: string, advice: Readonly<Partial<Record<Code | SessionCode, string>>>];

/** What to do about each error code, in the order of the reference. */
export const ADVICE: readonly Group[] = [
  [
    'YAML',
    {
      yaml_syntax: 'Check the line of the message. A text that contains `: ` or `#` needs quotes.',
      yaml_duplicate_key: 'Remove one of the two keys.',
      yaml_unsupported: 'Write the value out, and share values with `extends`.',
      yaml_too_complex: 'Split the file.',
    },
  ],
  [
    'Definitions',
    {
      definition_ignored:
        'Rename the file, for example from `.yml` to `.yaml`, or match both endings: `videos: videos/**/*.{yaml,yml}`. Data files and fragments that a definition reads are not reported.',
      definition_empty: 'Write a definition, or start the file name with `_` if it is a fragment.',
      definition_invalid: 'Write a value of the type that the message names.',
      unknown_property: 'Use the property that the hint suggests.',
      missing_property: 'Add the property.',
      unknown_template: 'Add the template to `templates` in reelform.yaml, or correct its name.',
      unknown_editable: 'Use the key that the hint suggests.',
      missing_editable: 'Add the editable under `resources`.',
      wrong_kind: 'Write a text, a colour, or a path or URL, as the kind of the editable requires.',
      invalid_color: 'Write it as `"#EEADA7"`, in quotes.',
      text_too_long: 'Shorten the text.',
      unknown_font: 'Use the name that the hint suggests, or add the font to the folder `fonts/`.',
      invalid_url: 'Write a path, or an http(s) URL without user and password.',
      missing_file: 'Correct the path. See [Paths](definitions.md#paths).',
      ambiguous_path: 'Remove or rename one of the two.',
      sound_unreadable: 'Export the sound again, or copy the file again. See [Sound](definitions.md#sound).',
      lfs_pointer:
        'Run `git lfs pull`. In a GitHub workflow, set `lfs: true` for actions/checkout. See [Git LFS](definitions.md#git-lfs).',
      path_outside: 'Copy the file into the repository.',
      duplicate_id: 'Give one of the videos another `id`, or another row id.',
      destination_taken: 'Put `{id}` or `{fingerprint}` into the destination.',
      invalid_id: 'Rename the file, or set `id`. See [Ids](definitions.md#ids).',
      unknown_variable: 'Correct the column name. Write `$${` for the characters `${`.',
      extends_cycle: 'Remove one of the `extends`.',
      data_invalid: 'Correct the line of the data file that the message names.',
      words_invalid:
        'Correct the line that the message names, or write the times as WebVTT or as a JSON list of `{text, start, end}`.',
      words_missing: 'Write `words` beside the source of the track.',
      caption_style_unknown: 'Use a built-in style, or add the style to `caption_styles` in reelform.yaml.',
      captions_invalid:
        'Write cues with times and texts, as WebVTT, SubRip or ASS. See [Captions](captions.md#what-is-reported).',
      cue_dropped: 'Correct the times of the cue that the message names.',
      captions_changed:
        'Nothing, if the captions may do without it. Otherwise write it as the hint says. See [Captions](captions.md#what-is-reported).',
      captions_undelivered:
        'Reelform writes captions to destinations itself: add the credential to `credentials` of reelform.yaml, and name it in `deliver`.',
      caption_layer:
        'Remove `style` to show captions in the text of the template, or write it to draw them in all scenes. See [Captions](captions.md#the-text-of-a-template).',
      cue_cut: 'Write `duration: content`, a longer `duration`, or end the captions earlier.',
      cues_overlap: 'End the earlier cue before the later one starts, unless both are meant to be shown.',
      voice_unknown: 'Correct the name, or add the voice to `voices` of reelform.yaml. See [Speech](speech.md).',
      speech_failed:
        'Correct the command of the voice as the message says, and run `reelform speak` again. Texts that were spoken are kept. See [Speech](speech.md#the-command-of-a-voice).',
      speech_missing: 'Run `reelform speak`, and commit the files in `speech/`. Other videos are not held back.',
      track_unknown: 'Write the name of a track of the video or of the scene under `duck`.',
      overrun_useless: 'Remove `overrun`, or move the track to a scene.',
      rows_left_out: 'Correct the condition, or remove the definition.',
      column_hidden:
        'Rename one of the columns if the scene needs both: it uses that of its own row. Columns `locale` and `variant` cannot be used in a definition with these dimensions.',
      catalogue_invalid: 'Correct the file, or restore it from Git. Catalogues are PO, XLIFF 1.2 or 2, or CSV.',
      catalogue_unused:
        'Add its language to `locales` of reelform.yaml, import it into the catalogue of the language, or move the file.',
      text_untranslated:
        'Translate the text in the catalogue of the locale, or set `missing: skip` or `fallback` in reelform.yaml.',
      locale_fallback: 'Nothing to do if the locale may use it. Otherwise add the file, font or column of the locale.',
      placeholder_lost: 'Write the placeholder in the translation, where the column belongs in that language.',
      still_missing: 'Add the source language to `locales` of the definition, so that a video shows the text.',
      translation_unused: 'Nothing to do if the text was removed. Extract again before you send texts to translators.',
      locales_missing: 'Add `locales: {source: en, targets: [de, fr]}` to reelform.yaml.',
      unknown_locale: 'Add the language to `locales` of reelform.yaml, or correct its tag.',
    },
  ],
  [
    'Scenes',
    {
      unknown_scene: 'Use the id that the hint suggests.',
      unknown_stillcut: 'Use a stillcut of the template, which the hint names.',
      duplicate_scene: 'Give one of the scenes another `id`. The default is the name of the template.',
      template_unmeasured:
        'Use a template package of the repository. Style versions of a service have only their natural length.',
      video_empty: 'Add a scene without `when`, or a `when` to the whole definition.',
      video_too_long: 'Shorten scenes, or write several videos.',
      too_many_scenes: 'Leave out rows with `where`, or write several videos.',
      rate_unsupported: 'Write a rate like 25, 29.97 or 30.',
      rate_differs:
        'Set `rate` to a multiple of the rates of all templates, or accept that frames are repeated or left out.',
      fit_missing: 'Write `fit: cover` or `fit: contain` at the scene, or set `size` for the whole video.',
      duration_invalid: 'Write seconds, like `4.5`, or limits with `min` below `max`.',
      scene_too_short:
        'Write a length that the message names, add `timing` to template.yaml, or permit it with `shorten`. See [Timeline](timeline.md#length-of-a-scene).',
      scene_too_long: 'Write a length that the message names, or raise `max` of a place in template.yaml.',
      content_empty: 'Add a track without `loop` to the scene, or write seconds.',
      content_unknown:
        'Run `reelform plan --refresh`, which measures remote sounds. `apply` measures them before it renders, and refuses a video whose sound it cannot measure: check its address.',
      content_unlimited:
        'Write `max`, use a file of the repository, or run `reelform plan --refresh`, which measures remote sounds.',
      tail_shortened: 'Raise `max`, or write a shorter `tail`.',
      loop_held: 'Write another duration, or `content`, which takes the next length that fits.',
      fill_twice: 'Write the length of one of them in seconds.',
      fill_without_duration: 'Add `duration` to the definition.',
      duration_missed: 'Write `duration: fill` at one scene, or remove `duration` of the definition.',
      still_left_out:
        'Write a longer `duration`, or remove the stillcut from the template. A video of several scenes has at most 20 stills. If it is the `poster`, name a scene that no condition leaves out.',
      transition_first: 'Remove the transition. It is also reported if a condition leaves out the scenes before.',
      transition_too_long: 'Write a shorter `duration`.',
      transition_shortened: 'Write a transition at the scene, or a shorter default.',
    },
  ],
  [
    'Findings of lint',
    {
      glyph_missing:
        'Add a font with these characters to the folder that `fonts` of reelform.yaml names, or to `fonts/` of the template.',
      text_overflow: 'Shorten the text. If a mask or a layer above cuts it, the template may also give it more room.',
      text_too_small: 'Shorten the text, so that its box does not shrink it, or enlarge it in the template.',
      text_shrunk: 'Shorten the text, or enlarge its box in the template. The message names both sizes.',
      text_hidden:
        'Change the template: show the layer, move it into the picture, or bring it in front of what covers it.',
      text_leftover: 'Correct the text: the message names what it contains.',
      text_direction:
        'Put the mark U+200F before the text, or U+200E if it is right as it is. See [Lint](lint.md#direction).',
      text_collision: 'Shorten one of the texts, or move it in the template.',
      outside_safe_area: 'Move the text in the template, or shorten it. See [Lint](lint.md#safe-areas).',
      low_contrast: 'Choose other colours or another image.',
      flashes:
        'Slow the change down, make the flashing area smaller, or reduce the difference between the pictures. See [Lint](lint.md#flashes).',
      image_too_small:
        'Use an image or a clip with at least as many pixels as the message names. If the hint says that a larger file does not help, increase `w` and `h` of its asset.',
      clip_ends_early: 'Use a longer clip, or trim it less.',
      clip_cut:
        'Trim the clip with `trim_start_time`, or use a shorter one. If only a part is meant to be shown, set the rule to `off`.',
      sound_cut: 'Use a shorter sound, a longer video, or `fade_out` if the end is meant to be left out.',
      sound_unused: 'Remove the sound, or give it a volume.',
      sound_silent:
        'Check the file: it may be an export of an empty track. Choose its part with `trim_start_time`, or remove it.',
      sound_clipped: 'Record or export it again at a lower level. A lower `volume` does not bring the peaks back.',
      sound_out_of_phase: 'Invert one channel in an audio editor, or export the sound in mono.',
      level_missed:
        'Use a louder recording, or a lower `level`. Noise rises with a sound, so a level raises it by 12 dB at most.',
      words_unheard:
        'Use the words of this sound, or the sound of these words: one of them was edited without the other.',
      mix_too_loud: 'Lower the `volume` or `level` of its tracks, or set `loudness`, which lowers the mix as a whole.',
      loudness_missed: 'Lower the target of `loudness`, or use sounds with fewer and lower peaks.',
      media_truncated: 'Export or copy the file again.',
      lottie_differs:
        'Give the scene the length of its template, or use the rendered video. See [A Lottie document](../guides/outputs.md#a-lottie-document).',
      hold_moves:
        'Move the hold in `timing` of template.yaml to a moment at which the picture is still, or let the template `stretch` or `loop` there. For a single video, write another `duration` of the scene. See [Holds](lint.md#holds).',
      caption_too_fast: 'Shorten its text, show it longer, or choose other `rules`.',
      caption_line_too_long: 'Break the line, or shorten it.',
      caption_too_many_lines: 'Make two captions of it.',
      caption_too_short: 'Show it longer, or join it with its neighbour.',
      caption_too_long: 'Make two captions of it.',
      caption_gap: 'Run `reelform captions fix`, which closes the gaps.',
      caption_at_cut: 'Run `reelform captions fix`, which moves the times to the cut.',
      caption_over_text:
        'Give the `style` of the captions another `position` or `margin`, or move the text in the template. See [Lint](lint.md#drawn-captions).',
      caption_outside_safe_area:
        'Give the `style` of the captions a larger `margin` or a smaller `width`. See [Lint](lint.md#safe-areas).',
      caption_low_contrast:
        'Give the `style` of the captions another `color`, an `outline`, a `shadow_color` or a `background`. See [Lint](lint.md#drawn-captions).',
      transition_from_empty:
        'Write `at: before` in the transition: it then covers the end of the scene before, while that still moves. See [Transitions](lint.md#transitions).',
      lint_failed:
        'The message names the reason. This is an error if the video cannot be rendered, or if a lint rule is an error.',
    },
  ],
  [
    'Configuration, templates and schemas',
    {
      init_invalid: 'Choose one of the values that `reelform init --help` lists.',
      config_missing: 'Run the command inside a repository, or create one with `reelform init`.',
      config_invalid: 'Write the value that the message asks for. See [configuration](configuration.md).',
      template_invalid: 'Correct the file that the message names. See [template.yaml](template-yaml.md).',
      template_unsupported: 'Follow the hint, which names an alternative. See [Lottie support](lottie-support.md).',
      template_unseen:
        'Correct `stillcut` of the editable or the time of the still. If the editable changes nothing, remove it or use it in the animation.',
      image_too_large: 'Scale the image down. Packages are sent and read as a whole.',
      font_weight:
        'Set the weight of a variable font with `fonts` in template.yaml, or supply the file that the animation asks for.',
      font_unlicensed: 'Add the text of the licence to `fonts/`.',
      folder_taken: 'Choose another folder with `--out`, or overwrite it with `--force`.',
      spec_invalid: 'Run `reelform pull`.',
      spec_missing: 'Run `reelform pull`.',
      features_unknown:
        'Run `reelform pull` and commit `schemas/service.json`. Until then `apply` asks the service before it sends a video of several scenes.',
      schema_outdated: 'Run `reelform pull` and commit the result.',
      no_videos: 'Write a definition, or correct `videos` in reelform.yaml.',
    },
  ],
  [
    'Plan and lockfile',
    {
      lock_unreadable: 'Restore the last valid version from git.',
      lock_conflict: 'Run `reelform lock merge`.',
      lock_newer: 'Update Reelform.',
      lock_form: 'Run `reelform lock migrate`.',
      output_missing: 'Run `reelform apply`, which restores the file.',
      output_damaged:
        'Run `reelform apply`, or `reelform apply --refresh` if only the digest differs. For a file of a service, run `reelform apply --replace ID`.',
      protected_video: 'Restore its definition, or remove `protect` first.',
      all_videos_gone: 'Check `videos` in reelform.yaml. Pass `--allow-empty` if all videos are meant to go.',
      unknown_video: 'Use an id that `reelform show` lists.',
      plan_invalid: 'Create the plan again: `reelform plan --out FILE`.',
      plan_stale:
        'Create the plan again and have it reviewed. For `--expect-plan reviewed` see [Only reviewed plans](ci.md#only-reviewed-plans).',
      preview_invalid:
        'For `--preview-host`, name a branch, or a folder of a bucket whose credential has a `public_url`. For a folder, create it again: `reelform plan --preview stills --preview-dir DIR`.',
      preview_base_missing: 'Fetch the history (`fetch-depth: 0` of actions/checkout), or pass `--base REF`.',
      link_expired:
        'Run `reelform apply --refresh-only`, which records the new URL and renders nothing; so does `apply --refresh`.',
      refresh_unclear:
        'Try again later. Nothing is rendered for it. If a host is not public, name it in `REELFORM_ALLOW_SOURCES`.',
      policy_broken: 'Change what the message names, or have the policy changed.',
      policy_invalid: 'Write the command as words or as a JSON array of words.',
      too_many_renders: 'Pass the `--max-renders` that the hint names if the number is right.',
    },
  ],
  [
    'The command line',
    {
      options_conflict: 'Leave out one of the options that the message names.',
      interrupted: 'Nothing was changed. Run the command again. `init --yes` and `apply --auto-approve` do not ask.',
    },
  ],
  [
    'GitHub and GitLab',
    {
      forge_unreachable: 'Try again. Check the address in `GITHUB_API_URL` or `CI_API_V4_URL`.',
      forge_refused: 'Check the permissions of the job. See [permissions](ci.md#github).',
      forge_limited: 'Run the job again later.',
      forge_unknown: 'Set the variable that the message names, or pass the flag.',
      forge_answer_invalid: 'Check that the address belongs to GitHub or GitLab.',
    },
  ],
  [
    'Applying',
    {
      not_approved: 'Pass `--auto-approve` in jobs without a terminal.',
      changed_since_plan: 'Run the command again.',
      already_running: 'Wait for the other apply, or stop it.',
      session_unknown: 'Check the service for the session, then record the result with `reelform resolve`.',
      session_gone:
        'Check the token and the service, then run `reelform apply` again, which looks for the same session first. If it is still missing, run `reelform resolve`.',
      session_without_video:
        'Run `reelform apply` again: it reads the same session and requests no new one. If the URL is still missing, check the service, then run `reelform resolve`.',
      signed_url:
        'Configure the service to return permanent URLs, or copy the videos before the URLs expire. `reelform apply --refresh-only` records a new URL of the session.',
      session_failed: 'The message names the reason.',
      session_differs:
        'After `resolve` or `import`, find the session with the title and content that the message names. After `apply`, the service, a cache or a proxy answered with another session: check it, then run `reelform resolve`.',
      journal_unreadable:
        'If a service renders, record its sessions that the lockfile lacks with `reelform import`. Then move the journal away.',
      journal_local:
        'Add `journal: {git: reelform-journal}` to reelform.yaml. See [The journal](files.md#the-journal).',
      checkout_stale:
        'Check out the tip of the branch, commit and push your changes, or pass `--allow-stale`. See [Apply on merge](ci.md#apply-on-merge).',
      commit_refused: 'The message names the reason. For a protected branch use `--commit=pr`.',
      history_unsearched:
        'Fetch the history (`fetch-depth: 0`), or follow the hint. A plan continues with a warning. With a service, `apply` refuses to pay for videos that the history may have; `--allow-unsearched` pays anyway. See [Earlier renderings](lockfile.md#earlier-renderings).',
      definitions_left_out:
        'Check the definitions out (`git sparse-checkout add videos`, or `git sparse-checkout disable`). Until then, their videos keep their lock entries, and no entry is removed.',
      git_failed: 'The message names the git command and the reason.',
      sandbox_missing: 'Choose `auto`, or use a system that has the sandbox. See [Sandbox](operations.md#sandbox).',
      engine_missing:
        'Run the command that the hint names. A plan continues without lint and lists the videos in `lint.left_out`. If a rule of lint is an error, `apply` against a service needs the engine too, or `--no-lint`. See [Packages](../start/install.md#packages).',
      server_missing:
        'Run the command that the hint names, or use the [image](../guides/your-own-service.md). See [Packages](../start/install.md#packages).',
      encoder_missing: 'Install the package that the hint names. See [Encoders](outputs.md#encoders).',
      disk_full:
        'Free some space and run `reelform apply` again, which renders the rest. The run ends at once, because every other video would fail too.',
      write_failed: 'Check the free space and the permissions of the folder.',
      file_system: 'Check the path and the reason that the message names.',
    },
  ],
  [
    'A service behind a URL',
    {
      token_missing: 'Set the environment variable that `token_env` names.',
      token_origin:
        'Find out who changed `service` in reelform.yaml. If the change is right, add the origin to `REELFORM_TOKEN_ORIGIN`.',
      service_unreachable: 'Check that the service runs, and its URL.',
      service_unauthorized: 'Create another token, or one with more scopes.',
      service_answer_invalid: 'Check the URL: another program may answer there.',
      service_lacks_deliveries: 'Remove `deliver`, or use a service that supports `external_uploads`.',
      service_lacks_outputs: 'Replace `outputs` by `output`, or use a service that supports `outputs`.',
      service_lacks_scenes:
        'Nothing was sent. Use the embedded service or one whose `GET /v2/features` names `scenes`, or write a definition for each scene.',
      service_lacks_captions:
        'The service cannot draw or embed captions. Render on your machine with `service: embedded`, use a service that has captions, or write only caption files with `burn: false`. `reelform pull` records what a service offers.',
      service_lacks_languages:
        'Nothing was sent. Remove `lang` from the output, or use the embedded service or one whose `GET /v2/features` names `languages`.',
      service_lacks_sound:
        'Nothing was sent. Use the embedded service or one whose `GET /v2/features` names `sound`, or mix the sound before.',
      credential_missing: 'Set the environment variable that the credential names.',
      service_lacks_uploads:
        'Use URLs for files or publish them with `assets`. Name templates by the id of a style version.',
    },
  ],
  [
    'Running a service',
    {
      settings_invalid: 'Write the value that the message asks for. See [settings](settings.md).',
      unknown_token: 'Use an id that `reelform token list` prints.',
      address_in_use: 'Choose another address with `--host` and `--port`.',
      data_exposed: "Give the folder to the service's user with mode 0700, or choose another data folder.",
      data_in_use:
        'Stop the other process, or choose another data folder. The lock of a process that was killed on another host or in another container expires after 30 seconds.',
      database_unavailable: 'The message names the reason. Check the connection string and the server.',
      storage_unavailable:
        'The message names the reason. Check `storage` and its keys, which need the rights to list, read, write and remove.',
      database_newer: 'Update Reelform.',
    },
  ],
  [
    'Render sessions',
    {
      asset_unreachable: 'Check the response that the message names. A failure “after 4 tries” was already retried.',
      asset_forbidden_host: 'Make the file public, or ask the operator of the service to allow the host.',
      asset_too_large: 'Make the file smaller.',
      asset_type_unsupported:
        'The message says what the file is. Convert it to PNG, JPEG or WebP, to MP4 with H.264, or to MP3, WAV or AAC. See [Images](../guides/media.md#images).',
      asset_decode_failed: 'Export the file again, or trim it less.',
      encode_failed: 'Report it.',
      render_crashed: 'Run it again. Report it if it happens again.',
      render_timeout: 'Simplify the template.',
      storage_failed: 'The message names the reason.',
      delivery_failed: 'The message names the reason. The next `apply` delivers the video without rendering it again.',
      canceled: 'Render it again.',
      draft_expired: 'Create another session and render it before `draft_days` have passed.',
      internal: 'Report it.',
    },
  ],
];
