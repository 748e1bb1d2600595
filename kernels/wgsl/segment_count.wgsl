// segment_count: count, of long segments: each workgroup counts the digits of a chunk; counts[digit * chunks + chunk].
@compute @workgroup_size(WORKGROUP)
fn segment_count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
                 @builtin(local_invocation_index) local_index: u32) {
  place = local_index;
  let course = take_course(local_index);
  let survey = flag(FLAG_SURVEY);
  if (!survey && course.runs == 0u) {
    return;
  }
  let in_place = flag(FLAG_KEYS_IN_PLACE);
  let keys_side = select(side_read(course, in_place), select(SIDE_SRC, SIDE_DST, in_place), survey);
  for (var index = workgroup.x; index < course.groups; index += workgroups.x) {
    let chunk = take_chunk(index, local_index);
    clear_histogram();
    for (var begin = chunk.begin; begin < chunk.end; begin += TILE) {
      let valid = min(chunk.end - begin, TILE);
      load_keys(begin, keys_side);
      order_keys();
      count_keys(valid);
      if (survey) {
        survey_keys(chunk.segment_begin, begin, valid, chunk.segment_end, keys_side);
      }
    }
    workgroupBarrier();
    write_counts(index, course.groups);
    workgroupBarrier();
  }
  if (survey) {
    publish_survey(local_index);
  }
}
