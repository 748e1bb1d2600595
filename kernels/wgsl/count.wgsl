// count: each workgroup counts the digits of its tiles; counts[digit * groups + group].
// The first count of a sort also surveys the keys.
@compute @workgroup_size(WORKGROUP)
fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
         @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  let survey = flag(FLAG_SURVEY);
  if (!survey && course.runs == 0u) {
    return;
  }
  let in_place = flag(FLAG_KEYS_IN_PLACE);
  let keys_side = select(side_read(course, in_place), select(SIDE_SRC, SIDE_DST, in_place), survey);
  for (var group = workgroup.x; group < course.groups; group += workgroups.x) {
    clear_histogram();
    let tiles = tiles_of(course, group);
    for (var tile = tiles.x; tile < tiles.y; tile++) {
      let begin = tile * TILE;
      let valid = min(course.count - begin, TILE);
      load_keys(begin, keys_side);
      order_keys();
      count_keys(valid);
      if (survey) {
        survey_keys(0u, begin, valid, course.count, keys_side);
      }
    }
    workgroupBarrier();
    write_counts(group, course.groups);
    workgroupBarrier();
  }
  if (survey) {
    publish_survey(local_index);
  }
}
