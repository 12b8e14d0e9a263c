/* The types of the driver's header that CUPTI's headers use, with the same sizes, because packages of CUPTI do not
 * contain that header. */
#ifndef INFERSCOPE_CUDA_H
#define INFERSCOPE_CUDA_H

#include <stddef.h>

#define CUDAAPI

typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef int CUdevice;

typedef struct {
    char bytes[16];
} CUuuid;

typedef enum { STANDS_FOR_RESULT } CUresult;
typedef enum { STANDS_FOR_ATTRIBUTE } CUdevice_attribute;
typedef enum { STANDS_FOR_CACHE } CUfunc_cache;
typedef enum { STANDS_FOR_SHARED } CUsharedconfig;
typedef enum { STANDS_FOR_NODE } CUgraphNodeType;
typedef enum { STANDS_FOR_POLICY } CUclusterSchedulingPolicy;
typedef enum { STANDS_FOR_PROPERTY } CUaccessProperty;
typedef enum { STANDS_FOR_STREAM_ATTRIBUTE } CUstreamAttrID;
typedef union CUlaunchAttributeValue_union CUstreamAttrValue;

typedef struct {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    CUaccessProperty hitProp, missProp;
} CUaccessPolicyWindow;

#endif
