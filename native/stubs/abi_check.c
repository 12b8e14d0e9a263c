/* Compiles only if every offset and value of native/agent/cupti_abi.h is the same in the vendor's header, either from a
 * toolkit or from a package of CUPTI alone, for which native/stubs/headers has the missing headers. The structures are
 * those of CUDA 11.8, or the newest before it; later ones begin in the same way. */
#include "../agent/cupti_abi.h"

#include <cupti_activity.h>
#include <cupti_version.h>
#include <stddef.h>

#define AT(offset, type, field) _Static_assert((size_t)(offset) == offsetof(type, field), #type "." #field)
#define IS(value, theirs) _Static_assert((int)(value) == (int)(theirs), #theirs)

AT(KERNEL_REGISTERS, CUpti_ActivityKernel8, registersPerThread);
AT(KERNEL_START, CUpti_ActivityKernel8, start);
AT(KERNEL_END, CUpti_ActivityKernel8, end);
AT(KERNEL_DEVICE, CUpti_ActivityKernel8, deviceId);
AT(KERNEL_CONTEXT, CUpti_ActivityKernel8, contextId);
AT(KERNEL_STREAM, CUpti_ActivityKernel8, streamId);
AT(KERNEL_GRID, CUpti_ActivityKernel8, gridX);
AT(KERNEL_BLOCK, CUpti_ActivityKernel8, blockX);
AT(KERNEL_STATIC_SHARED, CUpti_ActivityKernel8, staticSharedMemory);
AT(KERNEL_DYNAMIC_SHARED, CUpti_ActivityKernel8, dynamicSharedMemory);
AT(KERNEL_CORRELATION, CUpti_ActivityKernel8, correlationId);
AT(KERNEL_NAME, CUpti_ActivityKernel8, name);
AT(KERNEL_GRAPH_NODE, CUpti_ActivityKernel8, graphNodeId);
AT(KERNEL_GRAPH, CUpti_ActivityKernel8, graphId);

AT(MEMCPY_KIND, CUpti_ActivityMemcpy5, copyKind);
AT(MEMCPY_FROM, CUpti_ActivityMemcpy5, srcKind);
AT(MEMCPY_TO, CUpti_ActivityMemcpy5, dstKind);
AT(MEMCPY_FLAGS, CUpti_ActivityMemcpy5, flags);
AT(MEMCPY_BYTES, CUpti_ActivityMemcpy5, bytes);
AT(MEMCPY_START, CUpti_ActivityMemcpy5, start);
AT(MEMCPY_END, CUpti_ActivityMemcpy5, end);
AT(MEMCPY_DEVICE, CUpti_ActivityMemcpy5, deviceId);
AT(MEMCPY_CONTEXT, CUpti_ActivityMemcpy5, contextId);
AT(MEMCPY_STREAM, CUpti_ActivityMemcpy5, streamId);
AT(MEMCPY_CORRELATION, CUpti_ActivityMemcpy5, correlationId);
AT(MEMCPY_GRAPH_NODE, CUpti_ActivityMemcpy5, graphNodeId);
AT(MEMCPY_GRAPH, CUpti_ActivityMemcpy5, graphId);
AT(MEMCPY_BYTES, CUpti_ActivityMemcpyPtoP4, bytes);
AT(MEMCPY_START, CUpti_ActivityMemcpyPtoP4, start);
AT(MEMCPY_STREAM, CUpti_ActivityMemcpyPtoP4, streamId);
AT(PEER_FROM_DEVICE, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
AT(PEER_TO_DEVICE, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
AT(PEER_CORRELATION, CUpti_ActivityMemcpyPtoP4, correlationId);
AT(PEER_GRAPH_NODE, CUpti_ActivityMemcpyPtoP4, graphNodeId);
AT(PEER_GRAPH, CUpti_ActivityMemcpyPtoP4, graphId);

AT(MEMSET_VALUE, CUpti_ActivityMemset4, value);
AT(MEMSET_BYTES, CUpti_ActivityMemset4, bytes);
AT(MEMSET_START, CUpti_ActivityMemset4, start);
AT(MEMSET_END, CUpti_ActivityMemset4, end);
AT(MEMSET_DEVICE, CUpti_ActivityMemset4, deviceId);
AT(MEMSET_CONTEXT, CUpti_ActivityMemset4, contextId);
AT(MEMSET_STREAM, CUpti_ActivityMemset4, streamId);
AT(MEMSET_CORRELATION, CUpti_ActivityMemset4, correlationId);
AT(MEMSET_MEMORY, CUpti_ActivityMemset4, memoryKind);
AT(MEMSET_GRAPH_NODE, CUpti_ActivityMemset4, graphNodeId);
AT(MEMSET_GRAPH, CUpti_ActivityMemset4, graphId);

AT(GRAPH_TRACE_CORRELATION, CUpti_ActivityGraphTrace, correlationId);
AT(GRAPH_TRACE_START, CUpti_ActivityGraphTrace, start);
AT(GRAPH_TRACE_END, CUpti_ActivityGraphTrace, end);
AT(GRAPH_TRACE_DEVICE, CUpti_ActivityGraphTrace, deviceId);
AT(GRAPH_TRACE_GRAPH, CUpti_ActivityGraphTrace, graphId);
AT(GRAPH_TRACE_CONTEXT, CUpti_ActivityGraphTrace, contextId);
AT(GRAPH_TRACE_STREAM, CUpti_ActivityGraphTrace, streamId);

AT(API_CALLBACK, CUpti_ActivityAPI, cbid);
AT(API_START, CUpti_ActivityAPI, start);
AT(API_END, CUpti_ActivityAPI, end);
AT(API_THREAD, CUpti_ActivityAPI, threadId);
AT(API_CORRELATION, CUpti_ActivityAPI, correlationId);
AT(API_RESULT, CUpti_ActivityAPI, returnValue);

AT(SYNC_TYPE, CUpti_ActivitySynchronization, type);
AT(SYNC_START, CUpti_ActivitySynchronization, start);
AT(SYNC_END, CUpti_ActivitySynchronization, end);
AT(SYNC_CORRELATION, CUpti_ActivitySynchronization, correlationId);
AT(SYNC_CONTEXT, CUpti_ActivitySynchronization, contextId);
AT(SYNC_STREAM, CUpti_ActivitySynchronization, streamId);
AT(SYNC_EVENT, CUpti_ActivitySynchronization, cudaEventId);

AT(OVERHEAD_KIND, CUpti_ActivityOverhead, overheadKind);
AT(OVERHEAD_OBJECT_KIND, CUpti_ActivityOverhead, objectKind);
AT(OVERHEAD_THREAD, CUpti_ActivityOverhead, objectId.pt.threadId);
AT(OVERHEAD_START, CUpti_ActivityOverhead, start);
AT(OVERHEAD_END, CUpti_ActivityOverhead, end);

AT(MARKER_FLAGS, CUpti_ActivityMarker2, flags);
AT(MARKER_TIME, CUpti_ActivityMarker2, timestamp);
AT(MARKER_ID, CUpti_ActivityMarker2, id);
AT(MARKER_OBJECT_KIND, CUpti_ActivityMarker2, objectKind);
AT(MARKER_THREAD, CUpti_ActivityMarker2, objectId.pt.threadId);
AT(MARKER_NAME, CUpti_ActivityMarker2, name);
AT(MARKER_DOMAIN, CUpti_ActivityMarker2, domain);

AT(EXTERNAL_KIND, CUpti_ActivityExternalCorrelation, externalKind);
AT(EXTERNAL_ID, CUpti_ActivityExternalCorrelation, externalId);
AT(EXTERNAL_CORRELATION, CUpti_ActivityExternalCorrelation, correlationId);

AT(EVENT_CORRELATION, CUpti_ActivityCudaEvent, correlationId);
AT(EVENT_CONTEXT, CUpti_ActivityCudaEvent, contextId);
AT(EVENT_STREAM, CUpti_ActivityCudaEvent, streamId);
AT(EVENT_ID, CUpti_ActivityCudaEvent, eventId);

#if CUPTI_API_VERSION >= 130000
_Static_assert(offsetof(struct subscriber_params, name) == offsetof(CUpti_SubscriberParams, subscriberName), "CUpti_SubscriberParams");
_Static_assert(offsetof(struct subscriber_params, old_name) == offsetof(CUpti_SubscriberParams, oldSubscriberName), "CUpti_SubscriberParams");
_Static_assert(offsetof(struct subscriber_params, old_name_bytes) == offsetof(CUpti_SubscriberParams, oldSubscriberSize), "CUpti_SubscriberParams");
#endif

#if CUPTI_API_VERSION >= 130100
AT(HOST_STREAM, CUpti_ActivityHostLaunch, streamId);
AT(HOST_CONTEXT, CUpti_ActivityHostLaunch, contextId);
AT(HOST_DEVICE, CUpti_ActivityHostLaunch, deviceId);
AT(HOST_CORRELATION, CUpti_ActivityHostLaunch, correlationId);
AT(HOST_LAUNCH_THREAD, CUpti_ActivityHostLaunch, threadId);
AT(HOST_LAUNCH_START, CUpti_ActivityHostLaunch, start);
AT(HOST_LAUNCH_END, CUpti_ActivityHostLaunch, end);
AT(HOST_STREAM, CUpti_ActivityGraphHostNode, streamId);
AT(HOST_CONTEXT, CUpti_ActivityGraphHostNode, contextId);
AT(HOST_DEVICE, CUpti_ActivityGraphHostNode, deviceId);
AT(HOST_CORRELATION, CUpti_ActivityGraphHostNode, correlationId);
AT(HOST_NODE_GRAPH, CUpti_ActivityGraphHostNode, graphId);
AT(HOST_NODE_THREAD, CUpti_ActivityGraphHostNode, threadId);
AT(HOST_NODE_START, CUpti_ActivityGraphHostNode, start);
AT(HOST_NODE_END, CUpti_ActivityGraphHostNode, end);
IS(KIND_GRAPH_HOST_NODE, CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE);
IS(KIND_HOST_LAUNCH, CUPTI_ACTIVITY_KIND_HOST_LAUNCH);
#endif

AT(CONTEXT_ID, CUpti_ActivityContext, contextId);
AT(CONTEXT_DEVICE, CUpti_ActivityContext, deviceId);

AT(DEVICE_MEMORY, CUpti_ActivityDevice4, globalMemorySize);
AT(DEVICE_MULTIPROCESSORS, CUpti_ActivityDevice4, numMultiprocessors);
AT(DEVICE_MAJOR, CUpti_ActivityDevice4, computeCapabilityMajor);
AT(DEVICE_MINOR, CUpti_ActivityDevice4, computeCapabilityMinor);
AT(DEVICE_ID, CUpti_ActivityDevice4, id);
AT(DEVICE_UUID, CUpti_ActivityDevice4, uuid);
AT(DEVICE_NAME, CUpti_ActivityDevice4, name);
AT(DEVICE_VISIBLE, CUpti_ActivityDevice4, isCudaVisible);
AT(DEVICE_MIG, CUpti_ActivityDevice4, isMigEnabled);
AT(DEVICE_GPU_INSTANCE, CUpti_ActivityDevice4, gpuInstanceId);
AT(DEVICE_COMPUTE_INSTANCE, CUpti_ActivityDevice4, computeInstanceId);
AT(DEVICE_MIG_UUID, CUpti_ActivityDevice4, migUuid);

IS(KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
IS(KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
IS(KIND_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL);
IS(KIND_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
IS(KIND_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
IS(KIND_DEVICE, CUPTI_ACTIVITY_KIND_DEVICE);
IS(KIND_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT);
IS(KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
IS(KIND_MARKER, CUPTI_ACTIVITY_KIND_MARKER);
IS(KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
IS(KIND_MEMCPY_PEER, CUPTI_ACTIVITY_KIND_MEMCPY2);
IS(KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
IS(KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
IS(KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
IS(KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
IS(CUPTI_OK, CUPTI_SUCCESS);
IS(CUPTI_END_OF_BUFFER, CUPTI_ERROR_MAX_LIMIT_REACHED);
IS(CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
IS(CUPTI_DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
IS(OBJECT_THREAD, CUPTI_ACTIVITY_OBJECT_THREAD);
IS(MARKER_INSTANT, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS);
IS(MARKER_BEGIN, CUPTI_ACTIVITY_FLAG_MARKER_START);
IS(MARKER_FINISH, CUPTI_ACTIVITY_FLAG_MARKER_END);
